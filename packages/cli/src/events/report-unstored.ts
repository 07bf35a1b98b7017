/** Reports answers and other changes that apply now but could not be stored. */
import { sameCaller, sanitizeLine } from "@plugboard/contracts";
import type { HostApi, HostErrorJson } from "@plugboard/contracts";
import type { CliContext } from "../terminal/cli-context.ts";
import { followEvents } from "./follow-events.ts";
import type { EventSubscription } from "./follow-events.ts";

export function reportUnstored(
  api: Pick<HostApi, "caller" | "events">,
  afterSeq: number,
  { stderr }: Pick<CliContext, "stderr">,
): EventSubscription {
  const report = (sentence: string, { code, message }: HostErrorJson) =>
    stderr.write(`${sanitizeLine(`${sentence} ${code}: ${message}`)}\n`);
  return followEvents(api, afterSeq, (event) => {
    if (event.type === "state.failed") report("The change applies now but could not be stored.", event.error);
    if (event.type === "decision.made" && event.error && sameCaller(event.caller, api.caller)) {
      report("Your answer applies now but could not be stored, so you will be asked again.", event.error);
    }
  });
}
