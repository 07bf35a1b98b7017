/** Tells what becomes of logins while a command works: that it waits for somebody else's, and that one it began is done. */
import { sameCaller, sanitiseLine } from "@plugboard/contracts";
import type { Caller, HostEvent } from "@plugboard/contracts";
import { followEvents } from "./follow-events.ts";
import type { Following } from "./follow-events.ts";
import type { Asking } from "./follow-questions.ts";

/** `server`: the one that the command is about; any, unless given. */
export function reportLogins(
  { api, snapshot, surroundings: { stderr } }: Pick<Asking, "api" | "snapshot" | "surroundings">,
  server: string | undefined,
): Following {
  const waiting = new Set<string>();
  const begun = new Set<string>();
  return followEvents(api, snapshot.seq, (event) => {
    if (event.type === "login.waiting" && (server ?? event.server) === event.server && !waiting.has(event.server)) {
      waiting.add(event.server);
      const at = sanitiseLine(event.server);
      stderr.write(`Another login at ${at} is under way; waiting for it. Ctrl-C stops waiting.\n`);
    }
    if (agrees(event, api.caller)) begun.add(event.question.server);
    if (event.type !== "login.changed") return;
    waiting.delete(event.server);
    const done = event.change === "logged_in" && begun.delete(event.server);
    if (done) stderr.write(`Logged in at ${sanitiseLine(event.server)}.\n`);
  });
}

type Settled = Extract<HostEvent, { type: "question.settled" }>;

function agrees(event: HostEvent, caller: Caller): event is Settled {
  if (event.type !== "question.settled" || event.settlement.by !== "answered") return false;
  const { answer } = event.settlement;
  const { owner } = event.question;
  return owner !== "workspace" && sameCaller(owner, caller) && answer.type === "login" && answer.action === "begin";
}
