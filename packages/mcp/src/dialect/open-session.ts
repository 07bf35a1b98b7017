/**
 * Opens the conversation with a server whose era need not be known: sends what
 * `detect-era.ts` asks for, tells it what came back, and ends in a session.
 */
import { HostError, toHostError } from "@plugboard/contracts";
import type { Era, JsonObject, PeerError } from "@plugboard/contracts";
import type { Clock } from "../lib/clock.ts";
import { isAuthError } from "../wire/is-auth-error.ts";
import type { OutgoingRequest, RpcResponse } from "../wire/outgoing-request.ts";
import type { RequestMessage } from "../wire/message.ts";
import { Peer } from "../wire/peer.ts";
import { METHOD_NOT_FOUND } from "../wire/rpc-error-codes.ts";
import type { Transport, WireHeaders } from "../wire/transport.ts";
import { stepProbe, INITIAL_PROBE_STATE } from "./detect-era.ts";
import type { OpeningMethod, ProbeFact, ProbeAction } from "./detect-era.ts";
import type { Identity } from "../session/identity.ts";
import { clientIdMeta, findOwnGateway, parseHostIds } from "../session/host-ids.ts";
import { LegacyClient } from "./legacy/legacy-client.ts";
import { finishHandshake, initializeParams, parseHandshake } from "./legacy/handshake.ts";
import type { Handshake } from "./legacy/handshake.ts";
import { ModernClient } from "./modern/modern-client.ts";
import { parseDiscoverResult, ASSUMED_SERVER_INFO } from "./modern/parse-discover-result.ts";
import { NO_CAPABILITIES, requestHeaders, requestMeta } from "./modern/request-meta.ts";
import type { ServerInfo, Session, SessionPorts } from "../session/session.ts";
import { NEWEST_LEGACY, NEWEST_MODERN } from "../session/versions.ts";

export interface OpenSessionOptions {
  readonly server: string;
  /** Starts the server, or prepares the way to it. Called again only for the one restart that detection allows. */
  readonly connect: () => Promise<Transport>;
  readonly clock: Clock;
  /** By which the server's silence is measured, if that is another one. */
  readonly serverClock?: Clock | undefined;
  readonly random: () => number;
  readonly identity: Identity;
  readonly rememberedEra?: Era | undefined;
  /** How long a server may say nothing before the legacy handshake is tried beside the probe. */
  readonly silenceMs: number;
  readonly signal: AbortSignal;
  readonly ports: SessionPorts;
}

/** How much longer than a shared wire HTTP may be silent: there, many things stand between us and the server. */
const HTTP_SILENCE_FACTOR = 4;
/** A server that has answered one opening is up: the answer to the other comes soon or never. */
const SECOND_ANSWER_MS = 2000;

export async function openSession(options: OpenSessionOptions): Promise<Session> {
  const opener = new SessionOpener(options);
  try {
    return await opener.result;
  } catch (error) {
    await opener.abandon();
    throw error;
  }
}

class SessionOpener {
  readonly result: Promise<Session>;

  readonly #options: OpenSessionOptions;
  #resolve!: (session: Session) => void;
  #reject!: (error: HostError) => void;
  #state = INITIAL_PROBE_STATE;
  #peer: Peer | undefined;
  #attempt = 0;
  #stopSilenceTimer: (() => void) | undefined;
  readonly #openings: OutgoingRequest[] = [];
  #serverInfo: ServerInfo = ASSUMED_SERVER_INFO;
  #handshake: Handshake | undefined;
  /** The latest thing that went wrong; the reason given when nothing else is left to try. */
  #lastError: HostError | undefined;
  #done = false;

  constructor(options: OpenSessionOptions) {
    this.#options = options;
    this.result = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    const { signal } = options;
    const onAbort = () => this.#fail(toHostError(signal.reason));
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    else void this.#connect(options.rememberedEra);
  }

  async abandon(): Promise<void> {
    this.#done = true;
    this.#stopSilenceTimer?.();
    await this.#peer?.close();
  }

  async #connect(rememberedEra: Era | undefined): Promise<void> {
    const attempt = ++this.#attempt;
    const { server, clock } = this.#options;
    try {
      const transport = await this.#options.connect();
      const peer = new Peer({ server, clock, transport });
      if (this.#done) return void peer.close();
      this.#peer = peer;
      peer.setEventHandlers({
        request: (message) => answerBeforeOpen(peer, message),
        notification: () => {},
        closed: (error) => this.#closed(error, attempt),
      });
      this.#apply({ type: "opened", ...(rememberedEra && { remembered: rememberedEra }) }, attempt);
    } catch (error) {
      this.#fail(toHostError(error));
    }
  }

  #closed(error: HostError, attempt: number): void {
    if (attempt !== this.#attempt) return;
    this.#lastError = error;
    this.#apply({ type: "exited" }, attempt);
  }

  /** News of a process that has been replaced is dropped here. */
  #apply(fact: ProbeFact, attempt: number): void {
    if (this.#done || attempt !== this.#attempt) return;
    const [state, action] = stepProbe(this.#state, fact);
    this.#state = state;
    this.#perform(action);
  }

  #perform(action: ProbeAction): void {
    switch (action.type) {
      case "wait":
        return this.#startSilenceTimer(this.#state.discover === "yes" ? SECOND_ANSWER_MS : this.#options.silenceMs);
      case "send":
        return this.#send(action.method);
      case "restart":
        return void this.#restart(action.as);
      case "settle":
        return void this.#settle(action).catch((error: unknown) => this.#fail(toHostError(error)));
      case "fail": {
        const { server } = this.#options;
        if (action.offered)
          return this.#fail(new HostError("UNSUPPORTED_VERSION", { server, offered: action.offered }));
        return this.#fail(
          this.#lastError ?? new HostError("UNEXPECTED_RESPONSE", { server, reason: "no opening worked" }),
        );
      }
    }
  }

  #send(method: OpeningMethod): void {
    switch (method) {
      case "server/discover":
        return this.#discover();
      case "initialize":
        return this.#initialize();
      case "ping":
        return this.#ping();
    }
  }

  /** Ends the old process first, because two processes of one server may conflict. */
  async #restart(as: Era): Promise<void> {
    this.#attempt += 1;
    this.#stopSilenceTimer?.();
    await this.#peer?.close();
    if (!this.#done) await this.#connect(as);
  }

  #discover(): void {
    const { identity } = this.#options;
    const method = "server/discover";
    this.#request({
      revision: NEWEST_MODERN,
      method,
      params: {
        _meta: { ...requestMeta({ identity, version: NEWEST_MODERN }, NO_CAPABILITIES), ...clientIdMeta(identity) },
      },
      headers: requestHeaders(NEWEST_MODERN, method),
      read: (reply) => {
        if (!reply.ok) return { type: "discover_refused", error: reply.error };
        const discovered = parseDiscoverResult(reply.result);
        if (!discovered) return { type: "discover_refused" };
        this.#serverInfo = discovered.facts;
        return { type: "discovered", versions: discovered.versions };
      },
      refused: { type: "discover_refused" },
    });
    this.#startSilenceTimer(this.#options.silenceMs);
  }

  #initialize(): void {
    this.#stopSilenceTimer?.();
    this.#request({
      revision: NEWEST_LEGACY,
      method: "initialize",
      params: initializeParams(this.#options.identity, this.#options.ports),
      read: (reply) => {
        if (!reply.ok) return { type: "initialize_refused" };
        this.#handshake = parseHandshake(reply.result);
        return { type: "initialized" };
      },
      refused: { type: "initialize_refused" },
    });
  }

  #ping(): void {
    const answered: ProbeFact = { type: "ping_answered" };
    this.#request({ revision: NEWEST_LEGACY, method: "ping", params: {}, read: () => answered, refused: answered });
    this.#startSilenceTimer(this.#options.silenceMs);
  }

  #request(request: OpeningRequest): void {
    this.#requestAndApply(request, this.#attempt).catch((error: unknown) => this.#fail(toHostError(error)));
  }

  async #requestAndApply(
    { revision, method, params, headers, read, refused }: OpeningRequest,
    attempt: number,
  ): Promise<void> {
    const peer = this.#peer!;
    peer.revision = revision;
    let response: RpcResponse;
    const request = peer.request(method, () => params, headers && { headers });
    this.#openings.push(request);
    try {
      response = await request.response;
    } catch (thrown) {
      const error = toHostError(thrown);
      if (this.#done || attempt !== this.#attempt) return;
      if (!isRefusedByServer(error)) return this.#fail(error);
      this.#recordError(method, error);
      return this.#apply(refused, attempt);
    }
    this.#rejectLoop(response);
    if (!response.ok) this.#recordError(method, this.#requestFailedError(method, response.error));
    this.#apply(read(response), attempt);
  }

  /** Throws SERVER_IS_SELF for a server that connects back to this host, whose tools would be our own. */
  #rejectLoop(response: RpcResponse): void {
    const { server, identity } = this.#options;
    const hostIds = parseHostIds(response.ok ? response.result["_meta"] : response.error.data);
    const self = findOwnGateway(server, identity, hostIds);
    if (self) throw self;
  }

  /** Why `initialize` failed says more than why `server/discover` did, whichever came last. */
  #recordError(method: OpeningMethod, error: HostError): void {
    if (method === "initialize" || this.#state.initialize !== "no") this.#lastError = error;
  }

  #requestFailedError(method: string, error: PeerError): HostError {
    const { server } = this.#options;
    const { code, message } = error;
    return new HostError("REQUEST_FAILED", { server, method, code, message }, { cause: error });
  }

  /** Of HTTP an answer or a refusal is expected sooner or later; only one that hangs for long is not waited for. */
  #startSilenceTimer(ms: number): void {
    if (!this.#peer?.transport.multiplexed) ms *= HTTP_SILENCE_FACTOR;
    const attempt = this.#attempt;
    const { clock, serverClock = clock } = this.#options;
    this.#stopSilenceTimer?.();
    this.#stopSilenceTimer = serverClock.after(ms, () => this.#apply({ type: "silence" }, attempt));
  }

  /** What is still unanswered when the matter is settled is not waited for; the server need not be told. */
  #cancelOpenings(): void {
    for (const exchange of this.#openings) exchange.cancel("no longer needed");
  }

  async #settle({ era, version }: Extract<ProbeAction, { type: "settle" }>): Promise<void> {
    this.#done = true;
    this.#stopSilenceTimer?.();
    this.#cancelOpenings();
    const { server, clock, random, identity, ports } = this.#options;
    const peer = this.#peer!;
    if (era === "modern") {
      const envelope = { identity, version };
      const session = new ModernClient({ server, peer, clock, random, ports, serverInfo: this.#serverInfo, envelope });
      return this.#resolve(session);
    }
    const handshake = this.#handshake!;
    if ("offered" in handshake) {
      return this.#reject(new HostError("UNSUPPORTED_VERSION", { server, offered: [handshake.offered] }));
    }
    let open = false;
    // Until it is open, that it closes is why it could not be opened.
    const onClosed = (error: HostError) => (open ? ports.onClosed(error) : this.#fail(error));
    const session = new LegacyClient({ server, peer, clock, identity, ports: { ...ports, onClosed }, ...handshake });
    await finishHandshake(peer, handshake.version);
    open = true;
    this.#resolve(session);
  }

  #fail(error: HostError): void {
    this.#done = true;
    this.#stopSilenceTimer?.();
    this.#reject(error);
  }
}

interface OpeningRequest {
  readonly revision: string;
  readonly method: OpeningMethod;
  readonly params: JsonObject;
  readonly headers?: WireHeaders;
  readonly read: (reply: RpcResponse) => ProbeFact;
  /** What it means when there is no answer to read. */
  readonly refused: ProbeFact;
}

/** Nobody is there to take a server's question yet; that it is alive it may ask at any time. */
function answerBeforeOpen(peer: Peer, { id, method }: RequestMessage): void {
  // A server that asks is of the older era, whatever it has been sent so far.
  peer.revision = NEWEST_LEGACY;
  // If the answer can't be delivered the peer has counted it.
  if (method === "ping") peer.respond(id, {}).catch(() => {});
  else
    peer.respondWithError(id, {
      code: METHOD_NOT_FOUND,
      message: `${method} is not supported before the session is open`,
    });
}

/** Somebody is there and did not like the request, in whatever way that was said. */
function isRefusedByServer(error: HostError): boolean {
  if (isAuthError(error)) return false;
  switch (error.code) {
    case "CANCELLED":
    case "CONNECTION_CLOSED":
      return false;
    case "SERVER_UNREACHABLE":
      // Its cause is what the network said; a server that answers with a bad status leaves none.
      return error.cause === undefined;
    default:
      return true;
  }
}
