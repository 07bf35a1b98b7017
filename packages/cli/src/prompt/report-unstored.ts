/** Tells of answers of this command that count now but could not be stored, so that nobody relies on them later. */
import { sameCaller, sanitiseLine } from "@plugboard/contracts";
import type { HostApi, HostErrorJson } from "@plugboard/contracts";
import type { Surroundings } from "../surroundings.ts";
import { followEvents } from "./follow-events.ts";
import type { Following } from "./follow-events.ts";

export function reportUnstored(
  api: Pick<HostApi, "caller" | "events">,
  after: number,
  { stderr }: Pick<Surroundings, "stderr">,
): Following {
  const tell = ({ code, message }: HostErrorJson) =>
    void stderr.write(`${sanitiseLine(`Not stored, so you will be asked again: ${code}: ${message}`)}\n`);
  return followEvents(api, after, (event) => {
    if (event.type === "state.failed") tell(event.error);
    if (event.type === "decision.made" && event.error && sameCaller(event.caller, api.caller)) tell(event.error);
  });
}
