/** Reports logins while a command runs: when it waits for another caller's login, and when its own login succeeds. */
import { sameCaller, sanitizeLine } from "@plugboard/contracts";
import type { Caller, HostEvent } from "@plugboard/contracts";
import { followEvents } from "./follow-events.ts";
import type { EventSubscription } from "./follow-events.ts";
import type { PromptContext } from "./follow-questions.ts";

/** If `server` is given, reports only waits for that server's login. */
export function reportLogins(
  { api, snapshot, cli: { stderr } }: Pick<PromptContext, "api" | "snapshot" | "cli">,
  server: string | undefined,
): EventSubscription {
  const waiting = new Set<string>();
  const started = new Set<string>();
  return followEvents(api, snapshot.seq, (event) => {
    if (event.type === "login.waiting" && (server ?? event.server) === event.server && !waiting.has(event.server)) {
      waiting.add(event.server);
      const id = sanitizeLine(event.server);
      stderr.write(`Another login to ${id} is in progress. Waiting for it; press Ctrl-C to stop.\n`);
    }
    if (startsLogin(event, api.caller)) started.add(event.question.server);
    // A client of the gateway that logs in itself does not end this command's wait.
    if (event.type !== "login.changed" || event.principal !== undefined) return;
    waiting.delete(event.server);
    const succeeded = event.change === "logged_in" && started.delete(event.server);
    if (succeeded) stderr.write(`Logged in to ${sanitizeLine(event.server)}.\n`);
  });
}

type Settled = Extract<HostEvent, { type: "question.settled" }>;

function startsLogin(event: HostEvent, caller: Caller): event is Settled {
  if (event.type !== "question.settled" || event.settlement.by !== "answered") return false;
  const { answer } = event.settlement;
  const { owner } = event.question;
  return owner !== "workspace" && sameCaller(owner, caller) && answer.type === "login" && answer.action === "begin";
}
