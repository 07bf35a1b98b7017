/** Warns about ids of unknown servers, which may be typos, and suggests the most similar id. */
import { readStaticConfig } from "@plugboard/host/config-commands";
import { nearest } from "@plugboard/contracts";
import type { CliContext } from "../../terminal/cli-context.ts";

export async function warnUnknownServers(ids: readonly string[], { cwd, env, stderr }: CliContext): Promise<void> {
  if (ids.length === 0) return;
  const { servers, pending } = (await readStaticConfig({ env }, { cwd })).config;
  const known = [...servers.keys(), ...pending.map(({ id }) => id)];
  for (const id of ids.filter((each) => !known.includes(each))) {
    const suggestion = nearest(id, known);
    const hint = suggestion === undefined ? "" : `; did you mean "${suggestion}"?`;
    stderr.write(`warning: there is no server "${id}" here${hint}\n`);
  }
}
