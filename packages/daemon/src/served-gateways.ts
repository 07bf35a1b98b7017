/**
 * The gateways of the TCP port: one for the served workspace, and one for each profile that a client uses. A profile
 * with a folder of its own gets the workspace of that folder.
 */
import { stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { HostError } from "@plugboard/contracts";
import type { ConnectedClient, WorkspaceSpec } from "@plugboard/contracts";
import type { Gateway } from "@plugboard/gateway";
import type { Host, OpenWorkspace } from "@plugboard/host/internal";

export interface ServedGatewaysOptions {
  readonly host: Pick<Host, "open" | "release">;
  readonly spec: WorkspaceSpec;
  readonly workspace: OpenWorkspace;
  /** Makes the gateway for the whole workspace, or for one profile. */
  readonly makeGateway: (workspace: OpenWorkspace, profile?: string) => Gateway;
}

interface ProfileGateway {
  /** The folder in the profile that the gateway was made for. */
  readonly cwd: string | undefined;
  readonly opened: Promise<{
    readonly gateway: Gateway;
    /** Set if the gateway has a workspace of its own. */
    readonly workspace?: OpenWorkspace;
  }>;
}

export class ServedGateways {
  readonly #options: ServedGatewaysOptions;
  readonly #whole: Gateway;
  readonly #profiles = new Map<string, ProfileGateway>();
  /** The gateways that are open, to be read without waiting. */
  readonly #open = new Set<Gateway>();
  #closed = false;

  constructor(options: ServedGatewaysOptions) {
    this.#options = options;
    this.#whole = options.makeGateway(options.workspace);
    this.#open.add(this.#whole);
  }

  /** Returns the gateway of a profile, or the one of the whole workspace. Returns undefined for an unknown profile. */
  async find(profile: string | undefined): Promise<Gateway | undefined> {
    if (profile === undefined) return this.#whole;
    const found = this.#options.workspace.profile(profile);
    if (!found) return undefined;
    const before = this.#profiles.get(profile);
    if (before?.cwd === found.cwd && before) return (await before.opened).gateway;
    const { cwd } = found;
    const opened = this.#make(profile, cwd);
    const entry = { cwd, opened };
    this.#profiles.set(profile, entry);
    try {
      // Clients of the old folder have to connect again.
      if (before) await this.#release(before);
      return (await opened).gateway;
    } catch (error) {
      if (this.#profiles.get(profile) === entry) this.#profiles.delete(profile);
      throw error;
    }
  }

  /** True while a client waits for an answer. */
  get busy(): boolean {
    return [...this.#open].some((gateway) => gateway.busy);
  }

  /** The number of open sessions of legacy HTTP clients. */
  get httpSessions(): number {
    return [...this.#open].reduce((sum, gateway) => sum + gateway.httpSessions, 0);
  }

  get fronts(): readonly ConnectedClient[] {
    return [...this.#open].flatMap((gateway) => gateway.fronts);
  }

  /** Answers pending requests with HOST_CLOSED. */
  close(): void {
    this.#closed = true;
    for (const gateway of this.#open) gateway.close();
  }

  /** Releases the workspaces of profiles. Call `close` first. */
  async release(): Promise<void> {
    await Promise.all([...this.#profiles.values()].map((profile) => this.#release(profile)));
  }

  async #make(profile: string, cwd: string | undefined): ProfileGateway["opened"] {
    const { host, spec, workspace, makeGateway } = this.#options;
    const folder = cwd === undefined ? spec.cwd : expandHome(cwd);
    if (resolve(folder) === resolve(spec.cwd)) return { gateway: this.#add(makeGateway(workspace, profile)) };
    const isFolder = await stat(folder).then(
      (stats) => stats.isDirectory(),
      () => false,
    );
    if (!isFolder)
      throw new HostError("NOT_FOUND", { subject: `folder ${folder}, which the profile ${profile} names` });
    const configFiles = spec.configFiles?.map((file) => resolve(spec.cwd, file));
    const own = await host.open({ ...spec, cwd: folder, ...(configFiles && { configFiles }) });
    // Each server reports its failure as an event.
    void own.start().catch(() => {});
    return { gateway: this.#add(makeGateway(own, profile)), workspace: own };
  }

  #add(gateway: Gateway): Gateway {
    this.#open.add(gateway);
    if (this.#closed) gateway.close();
    return gateway;
  }

  async #release({ opened }: ProfileGateway): Promise<void> {
    // A gateway that could not be opened has nothing to release.
    const { gateway, workspace } = (await opened.catch(() => undefined)) ?? {};
    if (!gateway) return;
    this.#open.delete(gateway);
    gateway.close();
    if (workspace) await this.#options.host.release(workspace);
  }
}

function expandHome(path: string): string {
  return path === "~" || path.startsWith("~/") ? join(homedir(), path.slice(1)) : path;
}
