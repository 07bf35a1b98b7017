/** What callers do with the servers of a workspace: start, connect, disconnect, hide, replace, log in, log out. */
import { HostError } from "@plugboard/contracts";
import type {
  Caller,
  HostErrorJson,
  LogoutReport,
  ServerEntry,
  ServerStatus,
  SetServersResult,
  StartOptions,
  StartReport,
} from "@plugboard/contracts";
import type { LoginManager } from "../auth/login-manager.ts";
import { retryAfterLogin } from "../calls/retry-after-login.ts";
import type { AskForLogin } from "../calls/retry-after-login.ts";
import { validateServerId } from "@plugboard/config";
import type { ToolRegistry } from "../tools/tool-registry.ts";
import type { ConfigManager } from "./config-manager.ts";
import type { LoginPrompts, LoginRequest } from "./login-prompts.ts";
import type { ServerAccess } from "./server-access.ts";
import type { ServerSet } from "./server-set.ts";

export interface ServerControlOptions {
  readonly servers: ServerSet;
  readonly access: ServerAccess;
  readonly config: ConfigManager;
  readonly registry: ToolRegistry;
  readonly loginPrompts: () => LoginPrompts;
  readonly logins: () => LoginManager;
  /** Aborted when the workspace is released. */
  readonly released: AbortSignal;
}

export interface ServerConnectOptions {
  readonly definition?: ServerEntry | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The caller to ask for approval and for a login. */
  readonly caller?: Caller | undefined;
}

export class ServerControl {
  readonly #options: ServerControlOptions;

  constructor(options: ServerControlOptions) {
    this.#options = options;
  }

  /** Starts all enabled servers, or the servers that the options name. */
  async startAll(options?: StartOptions): Promise<StartReport> {
    const { servers, config } = this.#options;
    const idErrors = invalidIdErrors(config.spec.servers);
    const named = [...servers.all()].filter(({ id }) => options?.servers?.includes(id) ?? true);
    const report = await servers.start(named, options);
    return { ...report, errors: { ...idErrors, ...report.errors } };
  }

  startInBackground(ids: readonly string[]): void {
    const { servers, released } = this.#options;
    if (!released.aborted) void servers.start(ids.flatMap((id) => servers.find(id) ?? []));
  }

  async connect(id: string, { signal, definition, caller }: ServerConnectOptions = {}): Promise<ServerStatus> {
    const { servers, access, config } = this.#options;
    this.#throwIfReleased();
    if (definition) {
      const invalidId = invalidIdError(id);
      if (invalidId) throw invalidId;
      await config.updateSpec((spec) => ({ ...spec, servers: { ...spec.servers, [id]: definition } }));
    }
    await access.getTrusted(id, caller, signal);
    const connect = () => servers.connect(id, signal);
    // Looks the server up again, because a new config may have replaced it while it was connecting.
    const askForLogin: AskForLogin = (error, context) => access.askForLogin(access.get(id))(error, context);
    return caller ? retryAfterLogin(askForLogin, { caller, signal }, connect) : connect();
  }

  async disconnect(id: string): Promise<void> {
    const released = this.#options.access.get(id).release();
    // Otherwise, a model that still knows the name of a tool could start the server again by calling it.
    this.#options.registry.remove(id);
    await released;
  }

  async reconnect(id: string, signal?: AbortSignal): Promise<ServerStatus> {
    const { servers, access } = this.#options;
    return servers.reconnect(access.get(id).id, signal);
  }

  async refresh(id: string, signal?: AbortSignal): Promise<ServerStatus> {
    const { servers, access } = this.#options;
    return servers.refresh(access.get(id).id, signal);
  }

  /** Hides or shows the tools of a server. */
  toggle(id: string, enabled: boolean): ServerStatus {
    const server = this.#options.access.get(id);
    server.toggle(enabled);
    return server.status();
  }

  /** Logs in and connects. Replaces a login that already exists. */
  async login(id: string, request: LoginRequest): Promise<ServerStatus> {
    const { servers, access, loginPrompts } = this.#options;
    this.#throwIfReleased();
    if (request.method !== undefined && request.method !== "browser" && request.method !== "device") {
      throw new HostError("USAGE", { message: '"method" must be "browser" or "device"' });
    }
    await access.getTrusted(id, request.caller, request.signal);
    await loginPrompts().logIn(access.get(id), request);
    return servers.connect(id, request.signal);
  }

  /** Logs out at a server. If no server has this id, it may be the label of a stored login. */
  async logout(id: string): Promise<LogoutReport> {
    const { servers, access, config, loginPrompts, logins } = this.#options;
    this.#throwIfReleased();
    const isPending = config.current.pending.some((server) => server.id === id);
    const isConfigured = isPending || servers.find(id) !== undefined;
    const report = isConfigured ? undefined : await logins().logOutByLabel(id);
    // `access.get` throws if the id is unknown or the server waits for approval.
    return report ?? loginPrompts().logOut(access.get(id));
  }

  /** Replaces the servers of the invocation, and starts new and changed servers. */
  async set(servers: { readonly [id: string]: ServerEntry }): Promise<SetServersResult> {
    const { config, access } = this.#options;
    this.#throwIfReleased();
    const { added, removed, changed } = await config.updateSpec((spec) => ({ ...spec, servers }));
    this.#throwIfReleased();
    const { errors } = await this.#options.servers.start([...added, ...changed].map((id) => access.get(id)));
    return { added, removed, changed, errors: { ...invalidIdErrors(servers), ...errors } };
  }

  #throwIfReleased(): void {
    if (this.#options.released.aborted) throw new HostError("HOST_CLOSED", {});
  }
}

/** Returns an error for each invalid id among the invocation's servers. Files report invalid ids as config problems. */
function invalidIdErrors(servers: { readonly [id: string]: unknown } = {}): { [id: string]: HostErrorJson } {
  const errors = Object.keys(servers).flatMap((id) => {
    const error = invalidIdError(id);
    return error ? [[id, error.toJSON()] as const] : [];
  });
  return Object.fromEntries(errors);
}

function invalidIdError(id: string): HostError | undefined {
  const reason = validateServerId(id);
  return reason === undefined ? undefined : new HostError("SERVER_INVALID", { server: id, reason });
}
