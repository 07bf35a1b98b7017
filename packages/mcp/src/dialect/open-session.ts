/**
 * Opens a session with a server whose era may be unknown. Performs the actions that `detect-era.ts` decides, and
 * reports their results to it. Returns the session in the detected era.
 */
import { HostError, toHostError } from "@plugboard/contracts";
import type { Era, PeerError, Clock } from "@plugboard/contracts";
import type { OutgoingRequest, RpcResponse } from "../wire/outgoing-request.ts";
import { Peer } from "../wire/peer.ts";
import type { Transport } from "../wire/transport.ts";
import { stepProbe, INITIAL_PROBE_STATE } from "./detect-era.ts";
import type { OpeningMethod, ProbeEvent, ProbeAction } from "./detect-era.ts";
import { findOwnGateway, parseHostIds } from "../session/identity.ts";
import type { Identity } from "../session/identity.ts";
import { LegacyClient } from "./legacy/legacy-client.ts";
import { finishHandshake } from "./legacy/handshake.ts";
import type { Handshake } from "./legacy/handshake.ts";
import { ModernClient } from "./modern/modern-client.ts";
import { ASSUMED_SERVER_INFO } from "./modern/discover.ts";
import { answerBeforeOpen, isRejectedByServer, openingRequest, parseOpeningResponse } from "./opening-requests.ts";
import type { ServerInfo } from "../session/server-info.ts";
import type { Session, SessionPorts } from "../session/session.ts";

/** The settings that are the same for every session of a connection. */
export interface SessionOptions {
  readonly server: string;
  readonly clock: Clock;
  /** Measures how long the server is silent. Defaults to `clock`. */
  readonly serverClock?: Clock | undefined;
  readonly random: () => number;
  readonly identity: Identity;
  /** How long a server may be silent before the legacy handshake is sent in addition to the modern probe. */
  readonly silenceMs: number;
  readonly ports: SessionPorts;
}

/** The options that differ between the attempts to open a session. */
export interface SessionAttempt {
  /** Opens the transport. Called a second time only for the one restart that era detection allows. */
  readonly connect: () => Promise<Transport>;
  readonly rememberedEra?: Era | undefined;
  /** The only era that the session may have. The other one is not tried. */
  readonly onlyEra?: Era | undefined;
  readonly signal: AbortSignal;
  /** Called when the open session is lost. */
  readonly onClosed: (error: HostError) => void;
}

/** HTTP may be silent longer, because of the network and proxies between us and the server. */
const HTTP_SILENCE_FACTOR = 4;
/** How long to wait for the second opening response, once the server has answered the first. */
const SECOND_ANSWER_MS = 2000;

export async function openSession(options: SessionOptions, attempt: SessionAttempt): Promise<Session> {
  const opener = new SessionOpener(options, attempt);
  try {
    return await opener.result;
  } catch (error) {
    await opener.abandon();
    throw error;
  }
}

class SessionOpener {
  readonly result: Promise<Session>;

  readonly #options: SessionOptions;
  readonly #attempt: SessionAttempt;
  #resolve!: (session: Session) => void;
  #reject!: (error: HostError) => void;
  #state = INITIAL_PROBE_STATE;
  #peer: Peer | undefined;
  /** Counts the transports. Events of an earlier one are ignored. */
  #generation = 0;
  #stopSilenceTimer: (() => void) | undefined;
  readonly #openings: OutgoingRequest[] = [];
  #serverInfo: ServerInfo = ASSUMED_SERVER_INFO;
  #handshake: Handshake | undefined;
  /** The error to report when no further request can be tried. */
  #lastError: HostError | undefined;
  #done = false;

  constructor(options: SessionOptions, attempt: SessionAttempt) {
    this.#options = options;
    this.#attempt = attempt;
    this.result = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    const { signal, rememberedEra } = attempt;
    const onAbort = () => this.#fail(toHostError(signal.reason));
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    else void this.#connect(rememberedEra);
  }

  async abandon(): Promise<void> {
    this.#done = true;
    this.#stopSilenceTimer?.();
    await this.#peer?.close();
  }

  async #connect(rememberedEra: Era | undefined): Promise<void> {
    const generation = ++this.#generation;
    const { server, clock } = this.#options;
    try {
      const transport = await this.#attempt.connect();
      const peer = new Peer({ server, clock, transport });
      if (this.#done) return void peer.close();
      this.#peer = peer;
      peer.setEventHandlers({
        request: (message) => answerBeforeOpen(peer, message),
        notification: () => {},
        closed: (error) => this.#closed(error, generation),
      });
      const { onlyEra } = this.#attempt;
      this.#apply({ type: "opened", rememberedEra, onlyEra }, generation);
    } catch (error) {
      this.#fail(toHostError(error));
    }
  }

  #closed(error: HostError, generation: number): void {
    if (generation !== this.#generation) return;
    this.#lastError = error;
    this.#apply({ type: "exited" }, generation);
  }

  /** Ignores events of a transport that was replaced. */
  #apply(event: ProbeEvent, generation: number): void {
    if (this.#done || generation !== this.#generation) return;
    const [state, action] = stepProbe(this.#state, event);
    this.#state = state;
    this.#perform(action);
  }

  #perform(action: ProbeAction): void {
    switch (action.type) {
      case "wait":
        return this.#startSilenceTimer(
          this.#state.discover === "accepted" ? SECOND_ANSWER_MS : this.#options.silenceMs,
        );
      case "send":
        return this.#send(action.method);
      case "restart":
        return void this.#restart(action.era);
      case "settle":
        return void this.#settle(action).catch((error: unknown) => this.#fail(toHostError(error)));
      case "fail": {
        const { server } = this.#options;
        if (action.refusedEra && isRefusal(this.#lastError)) {
          const details = { server, protocol: action.refusedEra };
          return this.#fail(new HostError("WRONG_PROTOCOL", details, { cause: this.#lastError }));
        }
        if (action.offered)
          return this.#fail(new HostError("UNSUPPORTED_VERSION", { server, offered: action.offered }));
        return this.#fail(
          this.#lastError ??
            new HostError("UNEXPECTED_RESPONSE", { server, reason: "it rejected the handshakes of both eras" }),
        );
      }
    }
  }

  #send(method: OpeningMethod): void {
    this.#sendAndApply(method, this.#generation).catch((error: unknown) => this.#fail(toHostError(error)));
    // The legacy handshake is the last resort: only the start-up timeout limits its silence.
    if (method === "initialize") this.#stopSilenceTimer?.();
    else this.#startSilenceTimer(this.#options.silenceMs);
  }

  /** Ends the old process first, because two processes of one server may conflict. */
  async #restart(era: Era): Promise<void> {
    this.#generation += 1;
    this.#stopSilenceTimer?.();
    await this.#peer?.close();
    if (!this.#done) await this.#connect(era);
  }

  async #sendAndApply(method: OpeningMethod, generation: number): Promise<void> {
    const { identity, ports } = this.#options;
    const { revision, params, headers } = openingRequest(method, identity, ports);
    const peer = this.#peer!;
    peer.revision = revision;
    const request = peer.request(method, () => params, headers && { headers });
    this.#openings.push(request);
    let response: RpcResponse | undefined;
    try {
      response = await request.response;
    } catch (thrown) {
      const error = toHostError(thrown);
      if (this.#done || generation !== this.#generation) return;
      if (!isRejectedByServer(error)) return this.#fail(error);
      this.#recordError(method, error);
    }
    if (response) this.#rejectLoop(response);
    if (response && !response.ok) this.#recordError(method, this.#requestFailedError(method, response.error));
    const { event, serverInfo, handshake } = parseOpeningResponse(method, response);
    if (serverInfo) this.#serverInfo = serverInfo;
    if (handshake) this.#handshake = handshake;
    this.#apply(event, generation);
  }

  /** Throws SERVER_IS_SELF if the server leads back to this host, because its tools would be our own. */
  #rejectLoop(response: RpcResponse): void {
    const { server, identity } = this.#options;
    const hostIds = parseHostIds(response.ok ? response.result["_meta"] : response.error.data);
    const loopError = findOwnGateway(server, identity, hostIds);
    if (loopError) throw loopError;
  }

  /** Prefers the error of `initialize`, which says more than that of `server/discover`. */
  #recordError(method: OpeningMethod, error: HostError): void {
    if (method === "initialize" || this.#state.initialize !== "rejected") this.#lastError = error;
  }

  #requestFailedError(method: string, error: PeerError): HostError {
    const { server } = this.#options;
    const { code, message } = error;
    return new HostError("REQUEST_FAILED", { server, method, code, message }, { cause: error });
  }

  /** Waits longer over HTTP, where a response or an error almost always comes. */
  #startSilenceTimer(ms: number): void {
    if (!this.#peer?.transport.multiplexed) ms *= HTTP_SILENCE_FACTOR;
    const generation = this.#generation;
    const { clock, serverClock = clock } = this.#options;
    this.#stopSilenceTimer?.();
    this.#stopSilenceTimer = serverClock.after(ms, () => this.#apply({ type: "silence" }, generation));
  }

  /** Cancels the opening requests that have no response yet. The server gets no notification. */
  #cancelOpenings(): void {
    for (const request of this.#openings) request.cancel("no longer needed");
  }

  async #settle({ era, version }: Extract<ProbeAction, { type: "settle" }>): Promise<void> {
    this.#done = true;
    this.#stopSilenceTimer?.();
    this.#cancelOpenings();
    const { server, clock, random, identity, ports } = this.#options;
    const { onClosed } = this.#attempt;
    const peer = this.#peer!;
    if (era === "modern") {
      const envelope = { identity, version };
      const serverInfo = this.#serverInfo;
      return this.#resolve(new ModernClient({ server, peer, clock, random, ports, serverInfo, envelope, onClosed }));
    }
    const handshake = this.#handshake!;
    if ("offered" in handshake) {
      return this.#reject(new HostError("UNSUPPORTED_VERSION", { server, offered: [handshake.offered] }));
    }
    let isOpen = false;
    const session = new LegacyClient({
      server,
      peer,
      clock,
      identity,
      ports,
      ...handshake,
      // If the transport closes before the handshake is finished, the opening fails.
      onClosed: (error) => (isOpen ? onClosed(error) : this.#fail(error)),
    });
    await finishHandshake(peer, handshake.version);
    isOpen = true;
    this.#resolve(session);
  }

  #fail(error: HostError): void {
    this.#done = true;
    this.#stopSilenceTimer?.();
    this.#reject(error);
  }
}

/** True if the server itself has rejected the handshake. False for errors of a proxy or of an overloaded server. */
function isRefusal(error: HostError | undefined): boolean {
  return error === undefined || error.code === "REQUEST_FAILED" || error.code === "UNEXPECTED_RESPONSE";
}
