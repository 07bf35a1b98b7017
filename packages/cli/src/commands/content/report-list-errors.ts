/** Reports the servers whose resources or prompts could not be listed. */
import { ERROR_TABLE, sanitizeLine } from "@plugboard/contracts";
import type { HostErrorJson, MultiServerList } from "@plugboard/contracts";
import type { CliContext } from "../../terminal/cli-context.ts";

/** Writes one line for each server that failed and each item that can't be used. */
export function reportListErrors({ errors, dropped = [] }: MultiServerList, { stderr }: CliContext): void {
  for (const [server, { code, message }] of Object.entries(errors)) {
    stderr.write(`${sanitizeLine(`${server}: ${code}: ${message}`)}\n`);
  }
  for (const { server, name, reason } of dropped) {
    stderr.write(`${sanitizeLine(`${server}: ${name} can't be used: ${reason}`)}\n`);
  }
}

/** Fails with the first error only if nothing was listed. */
export function listExitStatus(errors: { readonly [server: string]: HostErrorJson }, found: number): number {
  const [first] = Object.values(errors);
  return first && found === 0 ? ERROR_TABLE[first.code].exit : 0;
}
