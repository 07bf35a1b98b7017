/** Gathers the facts for `plugboard doctor`. All of its effects are in this folder. */
import { toHostError } from "@plugboard/contracts";
import { VERSION } from "@plugboard/host";
import { DEFAULT_PORT, isPlugboardItself } from "@plugboard/config";
import type { CliContext } from "../../terminal/cli-context.ts";
import { withWorkspace } from "../../workspace/with-workspace.ts";
import type { CommandOptions } from "../../workspace/with-workspace.ts";
import { toWorkspaceSpec } from "../../workspace/workspace-spec.ts";
import type { Facts } from "./facts.ts";
import { gatherConfigFacts } from "./gather-config-facts.ts";
import type { ConfigFacts } from "./gather-config-facts.ts";
import { gatherHostFacts, NO_LIVE_FACTS } from "./gather-host-facts.ts";
import type { LiveFacts } from "./gather-host-facts.ts";
import { inspectProgram } from "./inspect-program.ts";
import { inspectStateFolder } from "./inspect-state-folder.ts";
import { NodeVersions } from "./node-versions.ts";
import { probeHost } from "./probe-host.ts";
import type { HostFacts } from "./probe-host.ts";
import { probePort } from "./probe-port.ts";

export interface GatherOptions extends CommandOptions {
  /** Whether to connect the servers. */
  readonly connect: boolean;
}

export interface GatheredFacts {
  readonly facts: Facts;
  readonly redact: ConfigFacts["redact"];
  /** The exit status if the user interrupted the command, else 0. */
  readonly exitStatus: number;
}

export async function gatherFacts(options: GatherOptions, cli: CliContext): Promise<GatheredFacts> {
  const { cwd, env } = cli;
  const now = Date.now();
  const hide = cli.liveLine.show(() => "looking at the setup …");
  // Before the other probes, which correct the permissions of the folder.
  const stateFolder = await inspectStateFolder(env, now);
  const [host, port, config] = await Promise.all([
    probeHost(env),
    probePort(DEFAULT_PORT),
    gatherConfigFacts(toWorkspaceSpec(options, cwd), env),
  ]);
  const nodes = new NodeVersions();
  const inspected = await Promise.all(
    config.servers.map(async (server) => ({
      ...server,
      ...(server.program && { programFacts: await inspectProgram(server.program, env, nodes) }),
    })),
  );
  hide();
  const { live, exitStatus, hostFacts } = await gatherLive(options, config, host, cli);
  const servers = inspected.map((server) => {
    const status = live.statuses.find(({ id }) => id === server.id);
    const connectResult = live.connectResults.get(server.id);
    return { ...server, ...(status && { status }), ...(connectResult && { connectResult }) };
  });
  const { files, problems, untrusted, redact } = config;
  const { secrets, journal } = live;
  const versions = { version: VERSION, node: process.versions.node };
  const facts = {
    now,
    ...versions,
    stateFolder,
    host: hostFacts,
    port,
    files,
    problems,
    servers,
    untrusted,
    secrets,
    journal,
  };
  return { facts, redact, exitStatus };
}

/** Uses the running host if it is usable. Reports a failure as a fact, so that the other findings are shown. */
async function gatherLive(
  options: GatherOptions,
  { isUsable, servers }: ConfigFacts,
  host: HostFacts,
  cli: CliContext,
): Promise<{ readonly live: LiveFacts; readonly exitStatus: number; readonly hostFacts: HostFacts }> {
  let live = NO_LIVE_FACTS;
  if (!isUsable) return { live, exitStatus: 0, hostFacts: host };
  const usePrivate = options.private === true || host.state !== "running";
  // Starting Plugboard itself would leave a background host behind.
  const own = servers.filter(({ program }) => program !== undefined && isPlugboardItself(program));
  const selection = { connect: options.connect, except: new Set(own.map(({ id }) => id)) };
  try {
    const exitStatus = await withWorkspace(
      { ...options, private: usePrivate, unattended: true, quiet: true },
      cli,
      async (context) => {
        live = await gatherHostFacts(selection, cli.env, context);
        return 0;
      },
    );
    return { live, exitStatus, hostFacts: host };
  } catch (error) {
    return { live, exitStatus: 0, hostFacts: { state: "unusable", error: toHostError(error).toJSON() } };
  }
}
