/** Tells of the questions that nobody could be asked, so that their outcome is no riddle. */
import { sanitiseLine } from "@plugboard/contracts";
import type { HostApi } from "@plugboard/contracts";
import type { Surroundings } from "../surroundings.ts";
import { followEvents } from "./follow-events.ts";
import type { Following } from "./follow-events.ts";

export function reportUnattended(api: HostApi, after: number, { stderr }: Surroundings): Following {
  return followEvents(api, after, (event) => {
    if (event.type !== "question.unattended") return;
    const { server, tool, message } = event;
    const asker = tool === undefined ? server : `${server}:${tool}`;
    const asked = sanitiseLine(`${asker} asked "${message}"`);
    stderr.write(`${asked}; nobody is at a terminal, so it was cancelled.\n`);
  });
}
