/** Lists the configured servers with their logins, from the files alone. Creates no host and starts nothing. */
import type { ConfigProblem, Env, LoginStatus, ServerStatus, WorkspaceSpec } from "@plugboard/contracts";
import type { Config } from "@plugboard/config";
import { readStaticConfig } from "./read-static-config.ts";
import type { StaticConfigOptions } from "./read-static-config.ts";
import { untrustedServers } from "../trust/untrusted-servers.ts";
import { describeServerStatus, NO_SORTED_TOOLS } from "../workspace/describe-server.ts";

export interface ServerList {
  readonly servers: readonly ServerStatus[];
  readonly problems: readonly ConfigProblem[];
}

export async function listServers(options: StaticConfigOptions, spec: WorkspaceSpec): Promise<ServerList> {
  const { config } = await readStaticConfig(options, spec);
  const logins = await storedLogins(config, options.env);
  const active = [...config.servers.values()].map((configured) =>
    describeServerStatus({
      configured,
      hidden: false,
      connection: undefined,
      tools: NO_SORTED_TOOLS,
      leasing: false,
      resolveError: undefined,
      login: logins.get(configured.id),
    }),
  );
  const untrusted = untrustedServers(config.pending, (id) => config.servers.has(id));
  const servers = [...active, ...untrusted.map(({ config: _config, offered: _offered, ...status }) => status)];
  return { servers, problems: config.problems };
}

/** Loads the code for logins only if a server could have a login. */
async function storedLogins({ servers }: Config, env: Env): Promise<ReadonlyMap<string, LoginStatus>> {
  const remote = [...servers.values()].filter(({ definition }) => "url" in definition);
  if (remote.length === 0) return new Map();
  const { readStoredLogins } = await import("./stored-logins.ts");
  return readStoredLogins(remote, env);
}
