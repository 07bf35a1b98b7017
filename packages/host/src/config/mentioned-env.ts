/** Of an environment, only what a workspace's config needs: where its files lie, and the variables they name. */
import type { WorkspaceSpec } from "@plugboard/contracts";
import { readConfig } from "./read-config.ts";

type Env = { readonly [name: string]: string | undefined };

const PLACES = ["PLUGBOARD_CONFIG_PATH", "XDG_CONFIG_HOME", "APPDATA"];

export async function mentionedEnv(spec: WorkspaceSpec, env: Env): Promise<{ [name: string]: string }> {
  const { servers } = await readConfig(spec, env);
  const text = JSON.stringify([...servers.values()].map(({ definition }) => definition));
  const named = [...text.matchAll(/\$\{([A-Za-z_][A-Za-z0-9_]*)/g)].map(([, name]) => name!);
  const wanted = [...PLACES, ...named].filter((name) => env[name] !== undefined);
  return Object.fromEntries(wanted.map((name) => [name, env[name]!]));
}
