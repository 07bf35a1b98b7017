/** Opens and releases the workspaces of a host, and connects each of them to the parts that all workspaces share. */
import { randomUUID } from "node:crypto";
import { cancelled, HostError, toHostError, systemClock } from "@plugboard/contracts";
import type { Caller, WorkspaceSpec } from "@plugboard/contracts";
import { serveInProcess } from "@plugboard/mcp";
import type { InProcessTarget } from "@plugboard/mcp";
import { runOnce } from "@plugboard/mcp/process";
import type { Telemetry } from "../activity/telemetry.ts";
import type { PrincipalLogins } from "../auth/own-login.ts";
import type { CallPorts } from "../calls/run-call.ts";
import { SAMPLING_WITH_TOOLS } from "../calls/sampling.ts";
import type { ServerRequests } from "../calls/server-requests.ts";
import type { ConnectionPool } from "../pool/connection-pool.ts";
import { watchFiles } from "@plugboard/store";
import type { NativeTool } from "../tools/native-tool.ts";
import { ClientCapabilities } from "../workspace/client-capabilities.ts";
import { OpenWorkspace } from "../workspace/open-workspace.ts";
import { PendingSecrets } from "../workspace/pending-secrets.ts";
import { WorkspaceRoots } from "../workspace/workspace-roots.ts";
import type { HostBase } from "./host-base.ts";
import type { HostOptions } from "./host-options.ts";
import type { HostState } from "./host-state.ts";
import type { HostVault } from "./host-vault.ts";
import { hiddenPaths } from "./sandbox-places.ts";

export interface HostParts {
  readonly options: HostOptions;
  readonly base: HostBase;
  readonly state: HostState;
  readonly vault: () => HostVault;
  readonly callPorts: CallPorts;
  readonly requests: () => ServerRequests;
  readonly pool: ConnectionPool;
  readonly telemetry: Telemetry;
}

export interface OpenOptions {
  /** Adds the tools that read and change files and run commands. */
  readonly nativeTools?: boolean | undefined;
  /**
   * If the config can't be read now, uses the config of an open workspace with the same spec, or in the same folder.
   */
  readonly lastValid?: boolean;
}

export class HostWorkspaces {
  readonly #parts: HostParts;
  /** The open workspaces, each with its roots. The workspace of a principal has the roots of the owner's workspace. */
  readonly #rootsByWorkspace = new Map<OpenWorkspace, WorkspaceRoots>();
  readonly #pendingSecrets = new PendingSecrets();
  #closing = false;

  constructor(parts: HostParts) {
    this.#parts = parts;
  }

  get isClosing(): boolean {
    return this.#closing;
  }

  get size(): number {
    return this.#rootsByWorkspace.size;
  }

  /** Reads the config and starts no server. */
  async open(
    spec: WorkspaceSpec,
    { nativeTools = false, lastValid = false }: OpenOptions = {},
  ): Promise<OpenWorkspace> {
    const { options, base, state, vault, callPorts, requests, pool, telemetry } = this.#parts;
    const { secrets, model, chats, forwardsSampling, extensions, roots, openUrl } = options;
    const env = spec.env ?? base.env;
    const opening = base.openConfig(spec).catch((thrown: unknown) => this.#lastValidConfig(spec, lastValid, thrown));
    const [opened] = await Promise.all([opening, telemetry.findTracer()]);
    const { emit } = base.events;
    const rootsPort = roots && { id: randomUUID(), roots };
    const workspaceRoots = new WorkspaceRoots({ folder: spec.cwd, port: rootsPort, emit });
    await workspaceRoots.refresh();
    if (this.#closing) throw new HostError("HOST_CLOSED", {});
    const workspace = new OpenWorkspace({
      ...opened,
      spec,
      watch: (files, onChange) =>
        watchFiles([...files, ...base.state.sharedFiles], () => void this.#reloadShared(onChange)),
      clock: systemClock,
      callPorts,
      requests,
      readOutput: (id, range) => state.readOutput(id, range),
      trust: base.state.trust,
      openUrl,
      serverPorts: {
        pool,
        env,
        resolve: {
          secrets: secrets ?? ((name) => vault().secrets.find(name)),
          runCommand: ([command, ...args], cwd) => runOnce({ command, args, cwd }, systemClock),
          inProcess: (name) => this.#inProcessTarget(name),
          sandboxPlaces: base.sandboxPlaces,
        },
        capabilities: new ClientCapabilities(
          workspaceRoots,
          {
            byModel: model || chats ? SAMPLING_WITH_TOOLS : false,
            byClients: forwardsSampling ? SAMPLING_WITH_TOOLS : false,
          },
          extensions,
        ),
        get logins() {
          return vault().logins;
        },
        emit,
        pendingSecrets: this.#pendingSecrets,
      },
    });
    if (nativeTools) for (const tool of await this.#workspaceTools(workspace, spec)) workspace.nativeTools.add(tool);
    workspaceRoots.onChanged(() => workspace.rootsChanged());
    this.#rootsByWorkspace.set(workspace, workspaceRoots);
    return workspace;
  }

  /**
   * Opens the workspace of a principal of the gateway, which logs in itself at some servers of the owner's workspace.
   */
  openForPrincipal(owner: OpenWorkspace, principal: PrincipalLogins): OpenWorkspace {
    if (this.#closing) throw new HostError("HOST_CLOSED", {});
    const workspace = owner.forPrincipal(principal);
    this.#rootsByWorkspace.set(workspace, this.#rootsByWorkspace.get(owner)!);
    return workspace;
  }

  /** Calls the `roots` port again for every workspace. */
  async rootsChanged(): Promise<void> {
    await Promise.all([...this.#rootsByWorkspace.values()].map((roots) => roots.refresh()));
  }

  /** Ends the subscriptions of a caller. */
  endCaller({ id }: Caller): void {
    for (const workspace of this.#rootsByWorkspace.keys()) workspace.endCaller(id);
  }

  /** Cancels the calls of the workspace that wait for an answer. */
  async release(workspace: OpenWorkspace): Promise<void> {
    this.#rootsByWorkspace.delete(workspace);
    const reason = this.#closing ? new HostError("HOST_CLOSED", {}) : cancelled("the caller has disconnected");
    await workspace.release(reason, { linger: !this.#closing });
    const { principal } = workspace;
    const isLast =
      principal !== undefined && [...this.#rootsByWorkspace.keys()].every((other) => other.principal !== principal);
    if (isLast) this.#parts.vault().logins.releasePrincipal(principal);
  }

  /** From now on, `open` fails and the connections of released workspaces close at once. */
  stopOpening(): void {
    this.#closing = true;
  }

  async releaseAll(): Promise<void> {
    await Promise.all([...this.#rootsByWorkspace.keys()].map((workspace) => this.release(workspace)));
  }

  /**
   * Returns the config of an open workspace, and the error as `configError`. Rethrows the error if `lastValid` is
   * false, or if no workspace is open in the folder.
   */
  #lastValidConfig(spec: WorkspaceSpec, lastValid: boolean, thrown: unknown) {
    const inEffect = lastValid && this.#openConfig(spec);
    if (!inEffect) throw thrown;
    return { ...inEffect, configError: toHostError(thrown) };
  }

  #openConfig(spec: WorkspaceSpec) {
    const owned = [...this.#rootsByWorkspace.keys()].filter(({ principal }) => principal === undefined);
    // The workspace may have been opened by another process with other environment variables.
    const { env: _, ...withoutEnv } = spec;
    const same =
      owned.find((workspace) => workspace.hasSpec(spec)) ??
      owned.find((workspace) => workspace.hasSpec(withoutEnv)) ??
      owned.find((workspace) => workspace.spec.cwd === spec.cwd);
    return same?.configInEffect;
  }

  /** Loads the tools on first use, because most commands need none of them. */
  async #workspaceTools(workspace: OpenWorkspace, spec: WorkspaceSpec): Promise<NativeTool[]> {
    const { base } = this.#parts;
    const { workspaceTools } = await import("../native/workspace-tools.ts");
    return workspaceTools({
      folder: spec.cwd,
      stateFolder: base.state.folder,
      configFiles: () => workspace.configFiles,
      policy: () => workspace.policy,
      terminalSandbox: () => {
        const { terminalSandbox } = workspace;
        return terminalSandbox && { ...terminalSandbox, hide: hiddenPaths(base.env) };
      },
      processes: base.processes,
      clock: systemClock,
      newId: randomUUID,
      released: workspace.released,
    });
  }

  /** Returns the target for a connection to an object of the program, or undefined if no object has this name. */
  #inProcessTarget(name: string): InProcessTarget | undefined {
    const object = this.#parts.base.serverObjects.find(name);
    return object && { transport: "in-process", id: name, connect: () => serveInProcess(object, name) };
  }

  /** Reads trust, decisions and logins again, because another process may have changed them. */
  async #reloadShared(onReloaded: () => void): Promise<void> {
    const { base, vault } = this.#parts;
    await Promise.all([base.state.reload(), vault().reload()]);
    onReloaded();
  }
}
