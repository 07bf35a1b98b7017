/** Reports servers that did not start, or started slowly: with --connect at this start, else at their last start. */
import { ERROR_TABLE } from "@plugboard/contracts";
import type { ServerFacts } from "../facts/facts.ts";
import type { Check, Finding } from "./finding.ts";
import { lastStartTimes, lastStates } from "./last-states.ts";
import type { ServerStateEntry } from "./last-states.ts";

const SLOW_MS = 5000;

export const checkStarts: Check = ({ servers, journal }) => {
  const states = lastStates(journal);
  const times = lastStartTimes(journal);
  return servers
    .filter(({ enabled }) => enabled)
    .flatMap((server) => {
      const { id, connectResult } = server;
      if (!connectResult)
        return [...checkLast(server, states.get(id)), ...checkTime(server, times.get(id), "its last start")];
      if (connectResult.ok) return checkTime(server, connectResult.ms, "this start");
      return [{ check: "start", severity: "error", server: id, message: connectResult.hint }];
    });
};

/** Returns nothing for missing logins and for programs that can't be started, which other checks report. */
function checkLast({ id, programFacts }: ServerFacts, last: ServerStateEntry | undefined): Finding[] {
  const { state, code } = last ?? {};
  if (code === undefined || state === "auth_required" || programFacts?.problem !== undefined) return [];
  const message = `It failed at its last start (${code}).`;
  const fix = `Run \`plugboard test ${id}\` to see why, and \`plugboard logs ${id}\` to see what it printed.`;
  // Other checks also report errors of the definition, such as a server that is Plugboard itself.
  const isConfigError = ERROR_TABLE[code].exit === ERROR_TABLE.CONFIG_INVALID.exit;
  return isConfigError ? [] : [{ check: "start", severity: "warning", server: id, message, fix }];
}

function checkTime({ id, programFacts }: ServerFacts, ms: number | undefined, when: string): Finding[] {
  if (ms === undefined || ms < SLOW_MS) return [];
  const message = `It took ${(ms / 1000).toFixed(1)} s until it was ready at ${when}.`;
  const name = programFacts?.npx?.name;
  const fix =
    name === undefined
      ? `\`plugboard logs ${id}\` may say what it waits for.`
      : `npx looks for a new version at each start. Install it with \`npm install -g ${name}\`, and use its own command.`;
  return [{ check: "slow start", severity: "warning", server: id, message, fix }];
}
