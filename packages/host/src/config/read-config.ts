/** All layers of a workspace, read and laid over each other. */
import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import type { ConfigProblem, WorkspaceSpec } from "@plugboard/contracts";
import type { Rule } from "../policy/rule.ts";
import type { ConfiguredServer } from "./definition.ts";
import { readConfigFile, readInvocation } from "./read-layer.ts";
import type { Layer } from "./read-layer.ts";

export interface Config {
  readonly servers: ReadonlyMap<string, ConfiguredServer>;
  readonly rules: readonly Rule[];
  readonly problems: readonly ConfigProblem[];
}

type Env = { readonly [name: string]: string | undefined };

export async function readConfig(spec: WorkspaceSpec, env: Env): Promise<Config> {
  const invocation = { source: "invocation", folder: resolve(spec.cwd) } as const;
  const given = env["PLUGBOARD_CONFIG_PATH"] || undefined;
  const userFile = given === undefined ? userConfigPath(env) : resolve(spec.cwd, given);
  const layers = await Promise.all([
    readConfigFile(userFile, { source: "user", folder: homedir() }, given !== undefined),
    ...(spec.configFiles ?? []).map((file) => readConfigFile(resolve(spec.cwd, file), invocation, true)),
    readInvocation(spec, invocation),
  ]);
  return merge(layers);
}

/** Low to high. A higher entry replaces a lower one whole; one that only says `enabled` switches it. */
function merge(layers: readonly Layer[]): Config {
  const servers = new Map<string, ConfiguredServer>();
  const problems: ConfigProblem[] = [];
  for (const layer of layers) {
    problems.push(...layer.problems);
    for (const server of layer.servers) servers.set(server.id, server);
    for (const { id, enabled } of layer.switches) {
      const lower = servers.get(id);
      if (lower && !("invalid" in lower.definition)) {
        servers.set(id, { ...lower, definition: { ...lower.definition, enabled } });
      }
    }
  }
  return { servers, rules: layers.flatMap((layer) => layer.rules), problems };
}

function userConfigPath(env: Env): string {
  return join(configFolder(env), "plugboard", "config.json");
}

function configFolder(env: Env): string {
  if (process.platform === "win32") return env["APPDATA"] || join(homedir(), "AppData", "Roaming");
  if (process.platform === "darwin") return join(homedir(), "Library", "Application Support");
  const given = env["XDG_CONFIG_HOME"];
  // The XDG specification has relative paths ignored.
  return given && isAbsolute(given) ? given : join(homedir(), ".config");
}
