/** Starts, connects, logs in and disconnects the servers of a workspace when a caller asks for it. */
import { HostError } from "@plugboard/contracts";
import type {
  Caller,
  HostErrorJson,
  LogoutReport,
  ServerEntry,
  ServerStatus,
  SetServersResult,
  StartReport,
} from "@plugboard/contracts";
import type { LoginManager } from "../auth/login-manager.ts";
import { retryAfterLogin } from "../calls/retry-after-login.ts";
import type { AskForLogin } from "../calls/retry-after-login.ts";
import { validateServerId } from "../config/read/read-servers.ts";
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
  readonly loginPrompts: LoginPrompts;
  readonly logins: LoginManager;
  /** Aborted when the workspace is released. */
  readonly released: AbortSignal;
}

export interface ServerConnectOptions {
  readonly definition?: ServerEntry | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The caller to ask for consent and for a login. */
  readonly caller?: Caller | undefined;
}

export class ServerControl {
  readonly #options: ServerControlOptions;

  constructor(options: ServerControlOptions) {
    this.#options = options;
  }

  /** Starts all enabled servers. */
  async startAll(signal: AbortSignal | undefined): Promise<StartReport> {
    const { servers, config } = this.#options;
    const invalid = invalidServerIds(config.spec.servers);
    const { ready, errors } = await servers.start([...servers.all()], signal);
    return { ready, errors: { ...invalid, ...errors } };
  }

  startInBackground(ids: readonly string[]): void {
    const { servers, released } = this.#options;
    if (!released.aborted) void servers.start(ids.flatMap((id) => servers.find(id) ?? []));
  }

  async connect(id: string, { signal, definition, caller }: ServerConnectOptions = {}): Promise<ServerStatus> {
    const { servers, access, config } = this.#options;
    this.#throwIfReleased();
    if (definition) {
      throwIfInvalidServerId(id);
      await config.updateSpec((spec) => ({ ...spec, servers: { ...spec.servers, [id]: definition } }));
    }
    await access.getTrusted(id, caller, signal);
    const connect = () => servers.connect(id, signal);
    // The config can replace the server while it connects.
    const askForLogin: AskForLogin = (error, context) => access.askForLogin(access.get(id))(error, context);
    return caller ? retryAfterLogin(askForLogin, { caller, signal }, connect) : connect();
  }

  async disconnect(id: string): Promise<void> {
    const released = this.#options.access.get(id).release();
    // Only `connect` brings the server back. A model that still knows its tools can't start it.
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
  toggle(id: string, on: boolean): ServerStatus {
    const server = this.#options.access.get(id);
    server.toggle(on);
    return server.status();
  }

  /** Logs in, also if a login exists, and connects. */
  async login(id: string, request: LoginRequest): Promise<ServerStatus> {
    const { servers, access, loginPrompts } = this.#options;
    this.#throwIfReleased();
    if (request.method !== undefined && request.method !== "browser" && request.method !== "device") {
      throw new HostError("USAGE", { message: '"method" must be "browser" or "device"' });
    }
    await access.getTrusted(id, request.caller, request.signal);
    await loginPrompts.logIn(access.get(id), request);
    return servers.connect(id, request.signal);
  }

  /** Logs out at a server. An id that is not configured can be the label of a stored login. */
  async logout(id: string): Promise<LogoutReport> {
    const { servers, access, config, loginPrompts, logins } = this.#options;
    this.#throwIfReleased();
    const known = servers.find(id) ?? config.current.pending.find((server) => server.id === id);
    const report = known ? undefined : await logins.logOutByLabel(id);
    return report ?? loginPrompts.logOut(access.get(id));
  }

  /** Replaces the servers of the invocation, and starts those that are new or changed. */
  async set(servers: { readonly [id: string]: ServerEntry }): Promise<SetServersResult> {
    const { config, access } = this.#options;
    this.#throwIfReleased();
    const { added, removed, changed } = await config.updateSpec((spec) => ({ ...spec, servers }));
    this.#throwIfReleased();
    const { errors } = await this.#options.servers.start([...added, ...changed].map((id) => access.get(id)));
    return { added, removed, changed, errors: { ...invalidServerIds(servers), ...errors } };
  }

  #throwIfReleased(): void {
    if (this.#options.released.aborted) throw new HostError("HOST_CLOSED", {});
  }
}

function throwIfInvalidServerId(id: string): void {
  const reason = validateServerId(id);
  if (reason !== undefined) throw new HostError("SERVER_INVALID", { server: id, reason });
}

/** Returns an error for each id that no server can have. Ids in files are reported as config problems instead. */
function invalidServerIds(servers: { readonly [id: string]: unknown } = {}): { [id: string]: HostErrorJson } {
  const invalid = Object.keys(servers).flatMap((id) => {
    const reason = validateServerId(id);
    return reason === undefined
      ? []
      : [[id, new HostError("SERVER_INVALID", { server: id, reason }).toJSON()] as const];
  });
  return Object.fromEntries(invalid);
}
