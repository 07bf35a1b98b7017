/** Gathers the facts for the checks of `plugboard doctor`, which are pure. All reads and probes are in this folder. */
import { toHostError } from "@plugboard/contracts";
import type { ConfigFacts, Json } from "@plugboard/contracts";
import { VERSION } from "@plugboard/host";
import { DEFAULT_PORT, isPlugboardItself } from "@plugboard/config";
import type { CliContext } from "../../terminal/cli-context.ts";
import { withOperations } from "../../workspace/with-operations.ts";
import { withWorkspace } from "../../workspace/with-workspace.ts";
import type { CommandOptions } from "../../workspace/with-workspace.ts";
import type { Facts } from "./facts.ts";
import { gatherHostFacts, NO_LIVE_FACTS } from "./gather-host-facts.ts";
import type { LiveFacts } from "./gather-host-facts.ts";
import { inspectProgram } from "./inspect-program.ts";
import { inspectStateFolder } from "./inspect-state-folder.ts";
import { NodeVersions } from "./node-versions.ts";
import { probeHost } from "./probe-host.ts";
import type { FoundHost } from "./probe-host.ts";
import { probePort } from "./probe-port.ts";

export interface GatherOptions extends CommandOptions {
  /** Whether to connect the servers. */
  readonly connect: boolean;
}

export interface GatheredFacts {
  readonly facts: Facts;
  /** Masks the secrets of all definitions in all texts of the value. */
  readonly redact: (value: Json) => Promise<Json>;
  /** The exit status if the user interrupted the command, else 0. */
  readonly exitStatus: number;
}

export async function gatherFacts(options: GatherOptions, cli: CliContext): Promise<GatheredFacts> {
  const { env } = cli;
  const now = Date.now();
  const hide = cli.liveLine.show(() => "looking at the setup …");
  // Without the running host, which may be unusable, and has other environment variables than this command.
  const ofCommand = { ...options, private: true };
  // Comes before the other probes, because they correct the permissions of the folder.
  const stateFolder = await inspectStateFolder(env, now);
  const [host, port, config] = await Promise.all([
    probeHost(env),
    probePort(DEFAULT_PORT),
    withOperations(cli, (operations) => operations.configFacts(), ofCommand),
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
  const { journal } = live;
  const versions = { version: VERSION, node: process.versions.node };
  const facts = { ...config, now, ...versions, stateFolder, host: hostFacts, port, servers, journal };
  const redact = (value: Json) => withOperations(cli, (operations) => operations.redactSecrets(value), ofCommand);
  return { facts, redact, exitStatus };
}

/** Uses the running host if it is usable. Reports a failure as a fact, so that the other findings are shown. */
async function gatherLive(
  options: GatherOptions,
  { secrets, servers }: ConfigFacts,
  host: FoundHost,
  cli: CliContext,
): Promise<{ readonly live: LiveFacts; readonly exitStatus: number; readonly hostFacts: FoundHost }> {
  let live = NO_LIVE_FACTS;
  // There are no secrets if no host can use the config.
  if (!secrets) return { live, exitStatus: 0, hostFacts: host };
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
