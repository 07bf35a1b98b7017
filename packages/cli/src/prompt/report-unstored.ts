/** Reports answers of this command that apply now but could not be stored. */
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
  const report = (what: string, { code, message }: HostErrorJson) =>
    void stderr.write(`${sanitiseLine(`${what} ${code}: ${message}`)}\n`);
  return followEvents(api, after, (event) => {
    if (event.type === "state.failed") report("This applies now but could not be stored.", event.error);
    if (event.type === "decision.made" && event.error && sameCaller(event.caller, api.caller)) {
      report("Your answer applies now but could not be stored, so you will be asked again.", event.error);
    }
  });
}
