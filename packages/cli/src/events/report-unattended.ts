/** Tells of the questions that nobody could be asked, so that their outcome is no riddle. */
import { sanitizeLine } from "@plugboard/contracts";
import type { HostApi } from "@plugboard/contracts";
import type { CliContext } from "../terminal/cli-context.ts";
import { followEvents } from "./follow-events.ts";
import type { EventSubscription } from "./follow-events.ts";

export function reportUnattended(api: HostApi, after: number, { stderr }: CliContext): EventSubscription {
  return followEvents(api, after, (event) => {
    if (event.type !== "question.unattended") return;
    const { server, tool, message } = event;
    const asker = tool === undefined ? server : `${server}:${tool}`;
    const asked = sanitizeLine(`${asker} asked "${message}"`);
    stderr.write(`${asked}; nobody is at a terminal, so it was cancelled.\n`);
  });
}
