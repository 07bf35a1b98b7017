/** Of an environment, only what a workspace's config needs: where its files lie, and the variables they name. */
import type { WorkspaceSpec } from "@plugboard/contracts";
import type { ConfiguredServer } from "./definition.ts";
import { readConfig } from "./read-config.ts";
import { referencesIn } from "./references.ts";

type Env = { readonly [name: string]: string | undefined };

const PLACES = ["PLUGBOARD_CONFIG_PATH", "XDG_CONFIG_HOME", "APPDATA"];

export async function mentionedEnv(spec: WorkspaceSpec, env: Env): Promise<{ [name: string]: string }> {
  const { servers } = await readConfig(spec, env);
  const named = [...servers.values()].flatMap(textsOf).flatMap(referencesIn);
  const wanted = new Set([...PLACES, ...named.map(({ name }) => name)]);
  return Object.fromEntries(
    [...wanted].flatMap((name) => {
      const value = Object.hasOwn(env, name) ? env[name] : undefined;
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** The texts of a definition in which references are expanded. */
function textsOf({ definition }: ConfiguredServer): string[] {
  if ("invalid" in definition) return [];
  if (definition.transport !== "stdio") {
    const id = definition.transport === "claudeai-proxy" ? [definition.id] : [];
    return [definition.url, ...id, ...Object.values(definition.headers)];
  }
  const { command, args, cwd = "", env } = definition;
  return [command, ...args, cwd, ...Object.values(env)];
}
