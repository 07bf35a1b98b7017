/**
 * Decides which servers of a workspace a request may go to. A server that is not approved needs the user's approval
 * first. A server that a rule denies gets no requests. A model reaches only the servers that are visible to it.
 */
import { HostError } from "@plugboard/contracts";
import type { Caller } from "@plugboard/contracts";
import type { RequestTarget } from "../calls/server-requests.ts";
import type { AskForLogin } from "../calls/retry-after-login.ts";
import type { RequestTargets } from "../catalog/list-across-servers.ts";
import type { ConfiguredServer } from "@plugboard/config";
import type { Policy } from "../policy/policy.ts";
import type { TrustPrompts } from "../trust/trust-prompts.ts";
import { untrustedError } from "../trust/untrusted-servers.ts";
import type { LoginPrompts } from "./login-prompts.ts";
import type { ServerSet } from "./server-set.ts";
import type { WorkspaceServer } from "./workspace-server.ts";

export interface ServerAccessOptions {
  readonly servers: ServerSet;
  /** Returns the definitions that wait for approval. */
  readonly pending: () => readonly ConfiguredServer[];
  readonly policy: () => Policy;
  readonly trustPrompts: () => TrustPrompts;
  readonly loginPrompts: () => LoginPrompts;
  /** Returns whether a person answers questions for that caller. */
  readonly attended: (caller: Caller) => boolean;
}

export class ServerAccess {
  /** The servers that a caller may send requests to. */
  readonly forCallers: RequestTargets = {
    all: () => this.#visibleTargets(),
    get: (id, method) => this.#target(id, method),
  };
  /** The servers that a model may send requests to. Hidden and disconnected servers are not among them. */
  readonly forModels: RequestTargets = {
    all: () => this.#visibleTargets(),
    get: (id, method) => {
      const target = this.#target(id, method);
      this.getForModel(id);
      return target;
    },
  };

  readonly #options: ServerAccessOptions;

  constructor(options: ServerAccessOptions) {
    this.#options = options;
  }

  /** Throws SERVER_UNTRUSTED for a server that waits for approval, and SERVER_UNKNOWN for an unknown id. */
  get(id: string): WorkspaceServer {
    const { servers, pending } = this.#options;
    const untrusted = servers.find(id) ? undefined : pending().find((server) => server.id === id);
    if (untrusted) throw untrustedError(untrusted);
    return servers.get(id);
  }

  /** Throws SERVER_DISABLED for a server that models can't use, and the same errors as `get`. */
  getForModel(id: string): WorkspaceServer {
    const server = this.get(id);
    if (!isVisible(server)) throw new HostError("SERVER_DISABLED", { server: id });
    return server;
  }

  /** Returns the server. If it waits for approval, asks the caller first. Throws the same errors as `get`. */
  async getTrusted(id: string, caller: Caller | undefined, signal: AbortSignal | undefined): Promise<WorkspaceServer> {
    const { servers, trustPrompts, attended } = this.#options;
    const server = servers.find(id);
    if (server) return server;
    // A chat must not answer a question about trust. For a gateway client,
    // `ensureTrusted` asks users who watch the inbox.
    const owner =
      caller && caller.kind !== "chat" && (attended(caller) || caller.kind === "front") ? caller : undefined;
    await trustPrompts().ensureTrusted(id, owner, signal);
    return servers.get(id);
  }

  /** Yields the servers that are enabled and neither hidden, disconnected nor denied by a rule. */
  *visible(): Iterable<WorkspaceServer> {
    for (const server of this.#options.servers.all()) if (this.isVisible(server)) yield server;
  }

  isVisible(server: WorkspaceServer): boolean {
    return isVisible(server) && !this.#options.policy().findServerDenial(server.id);
  }

  /** Returns a function for requests to this server. It asks the caller of a refused request to log in. */
  askForLogin(server: WorkspaceServer): AskForLogin {
    return (error, context) => this.#options.loginPrompts().askCaller(server, error, context);
  }

  *#visibleTargets(): Iterable<RequestTarget> {
    for (const server of this.visible()) yield this.#toTarget(server);
  }

  #target(id: string, method: string): RequestTarget {
    const target = this.#toTarget(this.get(id));
    const rule = this.#options.policy().findServerDenial(id);
    if (rule) throw new HostError("TOOL_DENIED", { server: id, tool: method, by: `rule ${rule.text}` });
    return target;
  }

  #toTarget(server: WorkspaceServer): RequestTarget {
    const { requestTimeoutMs, maxTimeoutMs, sampling } = server.definition;
    return {
      server: server.id,
      lease: (context) => (context ? server.leaseFor(context) : server.lease()),
      timeoutMs: requestTimeoutMs,
      maxMs: maxTimeoutMs,
      sampling,
      askForLogin: this.askForLogin(server),
    };
  }
}

function isVisible({ enabled, hidden, disconnected }: WorkspaceServer): boolean {
  return enabled && !hidden && !disconnected;
}
