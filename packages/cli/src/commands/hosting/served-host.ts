/** The host that `plugboard serve` shows: one that it runs in its own process, or one that was running before. */
import { HostError } from "@plugboard/contracts";
import type { HostApi, ListenAddress, PageLink, WorkspaceSpec } from "@plugboard/contracts";
import { startDaemon } from "@plugboard/daemon";
import { DEFAULT_PORT } from "@plugboard/config";
import { referencedEnv } from "@plugboard/config";
import type { RemoteHost } from "@plugboard/remote";
import type { CliContext } from "../../terminal/cli-context.ts";
import { readBuildId } from "../../workspace/build-id.ts";
import { commandPath } from "../../workspace/command-path.ts";

export interface ServedHost {
  readonly api: HostApi;
  readonly pid: number;
  readonly endpoint: string;
  /** Returns a link that opens the page and signs the browser in. It works once. */
  openPage(): Promise<PageLink>;
  /** The sequence number of the last event before the command used the host. */
  readonly seq: number;
  /** Opens the workspace of the port when it is passed to `api.workspace`. */
  readonly spec: WorkspaceSpec;
  /** Set if the host was running before. `keepsPort`: its port stays open when this command ends. */
  readonly attached?: { readonly keepsPort: boolean };
  /** Resolves when the host ends. Rejects if it was lost. */
  readonly ended: Promise<void>;
  /**
   * Stops the host, or closes the port of a host that was running before. A second call stops at once. Returns what to
   * tell the user.
   */
  leave(): Promise<string>;
}

export interface ServeOptions {
  readonly port: number | undefined;
  readonly address: ListenAddress;
  readonly isService: boolean;
  /** True if a user answers the questions of the host on this terminal. */
  readonly watchesInbox: boolean;
}

/** Runs the host in this process. Throws HOST_RUNNING if another one is running. */
export async function startHostHere(
  spec: WorkspaceSpec,
  { port = DEFAULT_PORT, address, isService, watchesInbox }: ServeOptions,
  { env }: CliContext,
): Promise<ServedHost> {
  const startedBy = isService ? "service" : "serve";
  const daemon = await startDaemon({
    env,
    spec,
    port,
    address,
    startedBy,
    build: readBuildId(),
    script: commandPath(),
  });
  // Errors are ignored here, because the failure of a server is reported as an event.
  void daemon.workspace.start().catch(() => {});
  return {
    api: daemon.connect("cli", { watchesInbox }),
    pid: process.pid,
    endpoint: daemon.endpoint!,
    openPage: async () => daemon.openPage(),
    seq: 0,
    spec,
    ended: daemon.ended,
    async leave() {
      const { clients } = daemon;
      await daemon.stop();
      if (clients === 0) return "The host has stopped.\n";
      return `The host has stopped. ${clients === 1 ? "1 client lost its" : `${clients} clients lost their`} connection.\n`;
    },
  };
}

/** Opens the port of a running host. The port is closed when this command ends, however it ends. */
export async function attachToHost(
  host: RemoteHost,
  spec: WorkspaceSpec,
  { port, address }: Pick<ServeOptions, "port" | "address">,
  { env }: CliContext,
): Promise<ServedHost> {
  const resolved = { ...spec, env: await referencedEnv(spec, env) };
  const { endpoint, kept } = await host.control.listen(resolved, { ...address, ...(port !== undefined && { port }) });
  const { pid } = await host.control.info();
  return {
    api: host,
    pid,
    endpoint,
    openPage: () => host.control.openPage(),
    seq: host.seq,
    spec: resolved,
    attached: { keepsPort: kept },
    ended: host.ended.then((error) => {
      if (error) throw new HostError("HOST_UNREACHABLE", { reason: "it has ended" }, { cause: error });
    }),
    async leave() {
      const stillOpen = await host.control.closePort();
      await host.close();
      const port = stillOpen ? `${endpoint} stays open` : `${endpoint} is closed`;
      return `${port}. The host (process ${pid}) keeps running; \`plugboard stop\` stops it.\n`;
    },
  };
}
