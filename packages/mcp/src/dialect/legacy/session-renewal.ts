/**
 * Opens a new session when an HTTP server has lost the current one, once for all requests that wait for it. Sends
 * again the requests that the server rejected because of the lost session.
 */
import { cancelled, HostError, isPeerError } from "@plugboard/contracts";
import type { PeerError, Clock } from "@plugboard/contracts";
import { settlesInTime } from "../../lib/settles-in-time.ts";
import type { Identity } from "../../session/identity.ts";
import { failedOutcome } from "../../session/outcome.ts";
import type { Outcome } from "../../session/outcome.ts";
import type { ServerInfo } from "../../session/server-info.ts";
import type { CallContext, ClientFeatures } from "../../session/session.ts";
import type { Peer } from "../../wire/peer.ts";
import type { WireHeaders } from "../../wire/transport.ts";
import { finishHandshake, initializeParams, parseHandshake } from "./handshake.ts";

export interface SessionRenewalOptions {
  readonly server: string;
  readonly peer: Peer;
  readonly clock: Clock;
  readonly identity: Identity;
  readonly features: ClientFeatures;
  /** The revision of the session. A new session must have the same one. */
  readonly version: string;
  readonly headers: WireHeaders;
  readonly onRenewed: (serverInfo: ServerInfo) => void;
}

/** A request that failed with SESSION_LOST. */
export interface LostRequest {
  readonly ctx: CallContext;
  readonly error: HostError;
  /** The generation of the session in which it was sent. */
  readonly generation: number;
  /** True if it was already sent again once. */
  readonly renewed: boolean;
  readonly resend: () => Promise<Outcome>;
  readonly toOutcome: (error: PeerError) => Outcome;
}

const HANDSHAKE_TIMEOUT_MS = 30_000;

export class SessionRenewal {
  /** Counts the sessions. A request belongs to the session that was current when it was sent. */
  generation = 0;
  /** The renewal in progress. */
  pending: Promise<void> | undefined;

  readonly #options: SessionRenewalOptions;

  constructor(options: SessionRenewalOptions) {
    this.#options = options;
  }

  /** Opens a new session, unless the session of that generation was already replaced. */
  renew(generation: number): Promise<void> {
    if (generation !== this.generation) return Promise.resolve();
    this.pending ??= this.#openSession().finally(() => (this.pending = undefined));
    return this.pending;
  }

  /** Returns undefined if the error is not about the session or the request was already sent again. */
  resendIfLost(request: LostRequest): Promise<Outcome> | undefined {
    const { error, renewed } = request;
    if (error.code !== "SESSION_LOST") return undefined;
    // With a cause, it is uncertain that the session is lost: see `requestFailed` in `transport.ts`.
    if (error.cause !== undefined) return this.#resendIfUnknown(request);
    return renewed ? undefined : this.#resend(request);
  }

  /** Returns the outcome of a request that ran out of time, or was cancelled, while it waited for a session. */
  notSentOutcome({ signal, onSettled }: CallContext): Outcome {
    onSettled?.();
    if (signal?.aborted) return failedOutcome(cancelled());
    return failedOutcome(new HostError("SESSION_LOST", { server: this.#options.server }));
  }

  /** Resends only if the session is really lost. Otherwise the error is the real response, so the request has run. */
  async #resendIfUnknown(request: LostRequest): Promise<Outcome> {
    const { ctx, error, toOutcome } = request;
    if (!(await this.#isSessionKnown(request))) return this.#resend(request);
    ctx.onSettled?.();
    return isPeerError(error.cause) ? toOutcome(error.cause) : failedOutcome(error.cause);
  }

  /** Returns whether the server still knows the session in which the request was sent. */
  async #isSessionKnown({ ctx, generation, renewed }: LostRequest): Promise<boolean> {
    // The request was already sent again, in a session that was just opened for it.
    if (renewed) return true;
    // Another request has already shown that the session is lost.
    if (this.pending !== undefined || generation !== this.generation) return false;
    return this.#isPingAccepted(ctx);
  }

  /** Any failure other than SESSION_LOST counts as accepted, because the session was found. */
  async #isPingAccepted({ signal, timeoutMs, maxMs }: CallContext): Promise<boolean> {
    const { peer, headers } = this.#options;
    try {
      await peer.request("ping", () => ({}), { signal, timeoutMs: Math.min(timeoutMs, maxMs), headers }).response;
      return true;
    } catch (error) {
      return !(error instanceof HostError) || error.code !== "SESSION_LOST";
    }
  }

  async #resend({ ctx, generation, resend }: LostRequest): Promise<Outcome> {
    const renewal = this.renew(generation);
    if (!(await settlesInTime(renewal, ctx, this.#options.clock))) return this.notSentOutcome(ctx);
    try {
      await renewal;
    } catch (error) {
      ctx.onSettled?.();
      return failedOutcome(error);
    }
    return resend();
  }

  /** Restores the lost session if the handshake fails, so that the next rejected request tries again. */
  async #openSession(): Promise<void> {
    const restoreSession = this.#options.peer.transport.beginNewSession?.();
    let serverInfo: ServerInfo;
    try {
      serverInfo = await this.#handshake();
    } catch (error) {
      restoreSession?.();
      throw error;
    }
    this.generation += 1;
    this.#options.onRenewed(serverInfo);
  }

  async #handshake(): Promise<ServerInfo> {
    const { server, peer, identity, features, version } = this.#options;
    const response = await peer.request("initialize", () => initializeParams(identity, features), {
      timeoutMs: HANDSHAKE_TIMEOUT_MS,
    }).response;
    const handshake = response.ok ? parseHandshake(response.result) : undefined;
    if (!handshake || "offered" in handshake || handshake.version !== version) {
      throw new HostError("SESSION_LOST", { server });
    }
    await finishHandshake(peer, version);
    return handshake.serverInfo;
  }
}
