/** Reports questions that were cancelled because there is no terminal. */
import { sanitizeLine } from "@plugboard/contracts";
import type { HostApi } from "@plugboard/contracts";
import type { CliContext } from "../terminal/cli-context.ts";
import { followEvents } from "./follow-events.ts";
import type { EventSubscription } from "./follow-events.ts";

export function reportUnattended(api: HostApi, afterSeq: number, { stderr }: CliContext): EventSubscription {
  return followEvents(api, afterSeq, (event) => {
    if (event.type !== "question.unattended") return;
    const { server, tool, message } = event;
    const requester = tool === undefined ? server : `${server}:${tool}`;
    const asked = sanitizeLine(`${requester} asked "${message}"`);
    stderr.write(`${asked}. The question was cancelled because there is no terminal.\n`);
  });
}
