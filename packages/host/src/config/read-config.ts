/** All layers of a workspace, read and laid over each other. */
import { homedir } from "node:os";
import { resolve } from "node:path";
import type { ConfigProblem, WorkspaceSpec } from "@plugboard/contracts";
import type { Rule } from "../policy/rule.ts";
import type { ConfiguredServer } from "./definition.ts";
import { readConfigFile, readInvocation } from "./read-layer.ts";
import type { Layer } from "./read-layer.ts";
import { userConfigPath } from "./user-config-path.ts";

export interface Config {
  readonly servers: ReadonlyMap<string, ConfiguredServer>;
  readonly rules: readonly Rule[];
  readonly problems: readonly ConfigProblem[];
}

type Env = { readonly [name: string]: string | undefined };

export async function readConfig(spec: WorkspaceSpec, env: Env): Promise<Config> {
  const invocation = { source: "invocation", folder: resolve(spec.cwd) } as const;
  const user = userConfigPath(env, spec.cwd);
  const layers = await Promise.all([
    readConfigFile(user.path, { source: "user", folder: homedir() }, user.named),
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
