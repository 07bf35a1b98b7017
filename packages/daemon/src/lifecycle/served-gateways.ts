/**
 * The gateways of the TCP port: one for the served workspace, and one for each profile that a client uses. A profile
 * with a folder of its own gets the workspace of that folder. A principal that logs in to servers itself gets gateways
 * of its own, whose workspaces use its logins.
 */
import { stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { compoundKey, HostError, steadyNow } from "@plugboard/contracts";
import type { ConnectedClient, Principal, WorkspaceSpec, Clock } from "@plugboard/contracts";
import type { Gateway } from "@plugboard/gateway";
import type { Host } from "@plugboard/host/core";
import type { LoginMode, OpenWorkspace } from "@plugboard/host/workspace";
import type { TokenAccess } from "../auth/token-access.ts";

export interface ServedGatewaysOptions {
  readonly host: Pick<Host, "open" | "openForPrincipal" | "release">;
  readonly clock: Clock;
  readonly spec: WorkspaceSpec;
  readonly workspace: OpenWorkspace;
  /** Makes the gateway for the whole workspace, or for one profile. */
  readonly makeGateway: (workspace: OpenWorkspace, profile?: string) => Gateway;
}

interface OpenGateway {
  readonly gateway: Gateway;
  readonly workspace: OpenWorkspace;
}

interface ProfileGateway {
  /** The folder in the profile that the gateway was made for. */
  readonly cwd: string | undefined;
  readonly opened: Promise<OpenGateway>;
}

interface PrincipalGateway extends OpenGateway {
  readonly principal: string;
  /** The gateway of the principals that share the owner's logins. */
  readonly shared: Gateway;
  /** When the last request came, on the steady clock. */
  usedAt: number;
}

/** How many gateways of principals that log in themselves may be open. */
const MAX_PRINCIPAL_GATEWAYS = 500;
/** After this time without a request, the gateway of a principal is closed unless its clients are connected. */
const IDLE_MS = 15 * 60_000;

export class ServedGateways {
  readonly #options: ServedGatewaysOptions;
  /** The gateway for clients without a profile. */
  readonly #forAllServers: OpenGateway;
  readonly #profileGateways = new Map<string, ProfileGateway>();
  /** By profile and principal, ordered by last use. */
  readonly #principalGateways = new Map<string, PrincipalGateway>();
  /** All open gateways: for all servers, of profiles and of principals. */
  readonly #openGateways = new Set<Gateway>();
  #cancelIdleCheck: (() => void) | undefined;
  #closed = false;

  constructor(options: ServedGatewaysOptions) {
    const { workspace, makeGateway } = options;
    this.#options = options;
    this.#forAllServers = { gateway: this.#add(makeGateway(workspace)), workspace };
  }

  /**
   * Returns the gateway of a profile, or of the whole workspace, for the holder of a token. Returns undefined for an
   * unknown profile.
   */
  async find(profile: string | undefined, access: TokenAccess): Promise<Gateway | undefined> {
    const shared = profile === undefined ? this.#forAllServers : await this.#findForProfile(profile);
    const { holder, principal } = access;
    if (!shared || holder === "owner_token") return shared?.gateway;
    // If a definition doesn't say it, subjects of an issuer log in themselves, and clients share the owner's login.
    const byDefault = holder === "subject" || holder === "approving_subject" ? "each" : "shared";
    if (!shared.workspace.hasOwnLogins(byDefault)) return shared.gateway;
    return this.#findForPrincipal(profile, shared, principal, byDefault);
  }

  /** Returns the gateway of a profile. Opens another one if the config now names another folder for the profile. */
  async #findForProfile(profile: string): Promise<OpenGateway | undefined> {
    const definition = this.#options.workspace.profile(profile);
    if (!definition) return undefined;
    const { cwd } = definition;
    const before = this.#profileGateways.get(profile);
    if (before && before.cwd === cwd) return before.opened;
    const opened = this.#openForProfile(profile, cwd);
    const entry = { cwd, opened };
    this.#profileGateways.set(profile, entry);
    try {
      // Clients of the old folder have to connect again.
      if (before) await this.#closeProfileGateway(before);
      return await opened;
    } catch (error) {
      if (this.#profileGateways.get(profile) === entry) this.#profileGateways.delete(profile);
      throw error;
    }
  }

  /** Returns the gateway of a principal that logs in itself. */
  #findForPrincipal(
    profile: string | undefined,
    shared: OpenGateway,
    { id, name }: Principal,
    byDefault: LoginMode,
  ): Gateway {
    const { host, makeGateway, clock } = this.#options;
    const usedAt = steadyNow(clock);
    const key = compoundKey(profile ?? "", id);
    let own = this.#principalGateways.get(key);
    this.#principalGateways.delete(key);
    if (own && own.shared !== shared.gateway) {
      void this.#closeGateway(own);
      own = undefined;
    }
    if (!own) {
      this.#makeRoomForPrincipal();
      // The principal may have shared the owner's logins until now. Its clients have to connect again.
      shared.gateway.closePrincipal(id, new HostError("HOST_CLOSED", {}));
      const workspace = host.openForPrincipal(shared.workspace, { principal: { id, name }, byDefault });
      // Each server reports its failure by its state.
      void workspace.start().catch(() => {});
      const gateway = this.#add(makeGateway(workspace, profile));
      own = { gateway, workspace, principal: id, shared: shared.gateway, usedAt };
    }
    own.usedAt = usedAt;
    this.#principalGateways.set(key, own);
    this.#scheduleIdleCheck();
    return own.gateway;
  }

  /** Closes the gateways of a principal whose token was revoked. */
  async releasePrincipal(principal: string): Promise<void> {
    await this.#closePrincipalGateways((own) => own.principal === principal);
  }

  /**
   * At the limit, closes the gateway that was unused for the longest time. Throws TOO_MANY_REQUESTS if all are busy.
   */
  #makeRoomForPrincipal(): void {
    if (this.#principalGateways.size < MAX_PRINCIPAL_GATEWAYS) return;
    for (const [key, own] of this.#principalGateways) {
      if (own.gateway.busy) continue;
      this.#principalGateways.delete(key);
      return void this.#closeGateway(own);
    }
    throw new HostError("TOO_MANY_REQUESTS", { limit: MAX_PRINCIPAL_GATEWAYS, retryAfterMs: 1000 });
  }

  #closeIdleGateways(): void {
    this.#cancelIdleCheck = undefined;
    const now = steadyNow(this.#options.clock);
    void this.#closePrincipalGateways(({ gateway, usedAt }) => now - usedAt >= IDLE_MS && gateway.fronts.length === 0);
    if (this.#principalGateways.size > 0) this.#scheduleIdleCheck();
  }

  #scheduleIdleCheck(): void {
    this.#cancelIdleCheck ??= this.#options.clock.after(IDLE_MS, () => this.#closeIdleGateways(), { background: true });
  }

  async #closePrincipalGateways(isUnneeded: (own: PrincipalGateway) => boolean): Promise<void> {
    const unneeded = [...this.#principalGateways].filter(([, own]) => isUnneeded(own));
    for (const [key] of unneeded) this.#principalGateways.delete(key);
    await Promise.all(unneeded.map(([, own]) => this.#closeGateway(own)));
  }

  /** True while a client waits for an answer. */
  get busy(): boolean {
    return [...this.#openGateways].some((gateway) => gateway.busy);
  }

  /** The number of open sessions of legacy HTTP clients. */
  get httpSessions(): number {
    return [...this.#openGateways].reduce((sum, gateway) => sum + gateway.httpSessions, 0);
  }

  get fronts(): readonly ConnectedClient[] {
    return [...this.#openGateways].flatMap((gateway) => gateway.fronts);
  }

  /** Answers pending requests with HOST_CLOSED. */
  close(): void {
    this.#closed = true;
    for (const gateway of this.#openGateways) gateway.close();
  }

  /** Releases the workspaces of profiles and principals. Call `close` first. */
  async release(): Promise<void> {
    this.#cancelIdleCheck?.();
    await this.#closePrincipalGateways(() => true);
    await Promise.all([...this.#profileGateways.values()].map((profile) => this.#closeProfileGateway(profile)));
  }

  /** A profile in the folder of the served workspace shares that workspace. */
  async #openForProfile(profile: string, cwd: string | undefined): Promise<OpenGateway> {
    const { host, spec, workspace, makeGateway } = this.#options;
    const folder = cwd === undefined ? spec.cwd : expandHome(cwd);
    if (resolve(folder) === resolve(spec.cwd))
      return { gateway: this.#add(makeGateway(workspace, profile)), workspace };
    const isFolder = await stat(folder).then(
      (stats) => stats.isDirectory(),
      () => false,
    );
    if (!isFolder)
      throw new HostError("NOT_FOUND", { subject: `folder ${folder}, which the profile ${profile} names` });
    const configFiles = spec.configFiles?.map((file) => resolve(spec.cwd, file));
    const profileWorkspace = await host.open({ ...spec, cwd: folder, ...(configFiles && { configFiles }) });
    // Each server reports its failure as an event.
    void profileWorkspace.start().catch(() => {});
    return { gateway: this.#add(makeGateway(profileWorkspace, profile)), workspace: profileWorkspace };
  }

  #add(gateway: Gateway): Gateway {
    this.#openGateways.add(gateway);
    if (this.#closed) gateway.close();
    return gateway;
  }

  async #closeProfileGateway({ opened }: ProfileGateway): Promise<void> {
    // A gateway that could not be opened has nothing to release.
    const open = await opened.catch(() => undefined);
    if (!open) return;
    await this.#closePrincipalGateways(({ shared }) => shared === open.gateway);
    await this.#closeGateway(open);
  }

  /** Closes the gateway, and releases its workspace unless that is the served one. */
  async #closeGateway({ gateway, workspace }: OpenGateway): Promise<void> {
    this.#openGateways.delete(gateway);
    gateway.close();
    if (workspace !== this.#options.workspace) await this.#options.host.release(workspace);
  }
}

function expandHome(path: string): string {
  return path === "~" || path.startsWith("~/") ? join(homedir(), path.slice(2)) : path;
}
