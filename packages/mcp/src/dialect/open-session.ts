/**
 * Opens the conversation with a server whose era need not be known: sends what
 * `detect-era.ts` asks for, tells it what came back, and ends in a session.
 */
import { HostError, toHostError } from "@plugboard/contracts";
import type { Era, JsonObject, PeerError } from "@plugboard/contracts";
import type { Clock } from "../clock.ts";
import { isAboutLogin } from "../wire/about-login.ts";
import type { Exchange, Reply } from "../wire/exchange.ts";
import type { RequestMessage } from "../wire/message.ts";
import { Peer } from "../wire/peer.ts";
import { METHOD_NOT_FOUND } from "../wire/rpc-codes.ts";
import type { Transport, WireHeaders } from "../wire/transport.ts";
import { probe, UNPROBED } from "./detect-era.ts";
import type { OpeningMethod, ProbeFact, ProbeMove } from "./detect-era.ts";
import type { Identity } from "./identity.ts";
import { clientIdMeta, findOwnGateway, readHostIds } from "./host-ids.ts";
import { LegacyClient } from "./legacy/client.ts";
import { finishHandshake, initializeParams, readHandshake } from "./legacy/handshake.ts";
import type { Handshake } from "./legacy/handshake.ts";
import { ModernClient } from "./modern/client.ts";
import { readDiscovered, UNDISCOVERED } from "./modern/discover.ts";
import { NOBODY, requestHeaders, requestMeta } from "./modern/envelope.ts";
import type { ServerFacts, Session, SessionPorts } from "./session.ts";
import { NEWEST_LEGACY, NEWEST_MODERN } from "./versions.ts";

export interface OpenOptions {
  readonly server: string;
  /** Starts the server, or prepares the way to it. Called again only for the one restart that detection allows. */
  readonly connect: () => Promise<Transport>;
  readonly clock: Clock;
  /** By which the server's silence is measured, if that is another one. */
  readonly serverTime?: Clock | undefined;
  readonly random: () => number;
  readonly identity: Identity;
  readonly remembered?: Era | undefined;
  /** How long a server may say nothing before the legacy handshake is tried beside the probe. */
  readonly silenceMs: number;
  readonly signal: AbortSignal;
  readonly ports: SessionPorts;
}

/** How much longer than a shared wire HTTP may be silent: there, many things stand between us and the server. */
const HTTP_PATIENCE = 4;
/** A server that has answered one opening is up: the answer to the other comes soon or never. */
const SECOND_ANSWER_MS = 2000;

export async function openSession(options: OpenOptions): Promise<Session> {
  const opening = new Opening(options);
  try {
    return await opening.result;
  } catch (error) {
    await opening.abandon();
    throw error;
  }
}

class Opening {
  readonly result: Promise<Session>;

  readonly #options: OpenOptions;
  #resolve!: (session: Session) => void;
  #reject!: (error: HostError) => void;
  #state = UNPROBED;
  #peer: Peer | undefined;
  #attempt = 0;
  #stopSilence: (() => void) | undefined;
  readonly #openings: Exchange[] = [];
  #facts: ServerFacts = UNDISCOVERED;
  #handshake: Handshake | undefined;
  /** The latest thing that went wrong; the reason given when nothing else is left to try. */
  #lastError: HostError | undefined;
  #done = false;

  constructor(options: OpenOptions) {
    this.#options = options;
    this.result = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    const { signal } = options;
    const onAbort = () => this.#fail(toHostError(signal.reason));
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    else void this.#connect(options.remembered);
  }

  async abandon(): Promise<void> {
    this.#done = true;
    this.#stopSilence?.();
    await this.#peer?.close();
  }

  async #connect(remembered: Era | undefined): Promise<void> {
    const attempt = ++this.#attempt;
    const { server, clock } = this.#options;
    try {
      const transport = await this.#options.connect();
      const peer = new Peer({ server, clock, transport });
      if (this.#done) return void peer.close();
      this.#peer = peer;
      peer.listen({
        request: (message) => answerEarly(peer, message),
        notification: () => {},
        closed: (error) => this.#closed(error, attempt),
      });
      this.#tell({ type: "opened", ...(remembered && { remembered }) }, attempt);
    } catch (error) {
      this.#fail(toHostError(error));
    }
  }

  #closed(error: HostError, attempt: number): void {
    if (attempt !== this.#attempt) return;
    this.#lastError = error;
    this.#tell({ type: "exited" }, attempt);
  }

  /** News of a process that has been replaced is dropped here. */
  #tell(fact: ProbeFact, attempt: number): void {
    if (this.#done || attempt !== this.#attempt) return;
    const [state, move] = probe(this.#state, fact);
    this.#state = state;
    this.#perform(move);
  }

  #perform(move: ProbeMove): void {
    switch (move.type) {
      case "wait":
        return this.#watchSilence(this.#state.discover === "yes" ? SECOND_ANSWER_MS : this.#options.silenceMs);
      case "send":
        return this.#send(move.method);
      case "restart":
        return void this.#restart(move.as);
      case "settle":
        return void this.#settle(move).catch((error: unknown) => this.#fail(toHostError(error)));
      case "fail": {
        const { server } = this.#options;
        if (move.offered) return this.#fail(new HostError("UNSUPPORTED_VERSION", { server, offered: move.offered }));
        return this.#fail(
          this.#lastError ?? new HostError("UNEXPECTED_RESPONSE", { server, what: "no opening worked" }),
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
    this.#stopSilence?.();
    await this.#peer?.close();
    if (!this.#done) await this.#connect(as);
  }

  #discover(): void {
    const { identity } = this.#options;
    const method = "server/discover";
    this.#ask({
      revision: NEWEST_MODERN,
      method,
      params: { _meta: { ...requestMeta({ identity, version: NEWEST_MODERN }, NOBODY), ...clientIdMeta(identity) } },
      headers: requestHeaders(NEWEST_MODERN, method),
      read: (reply) => {
        if (!reply.ok) return { type: "discover_refused", error: reply.error };
        const discovered = readDiscovered(reply.result);
        if (!discovered) return { type: "discover_refused" };
        this.#facts = discovered.facts;
        return { type: "discovered", versions: discovered.versions };
      },
      refused: { type: "discover_refused" },
    });
    this.#watchSilence(this.#options.silenceMs);
  }

  #initialize(): void {
    this.#stopSilence?.();
    this.#ask({
      revision: NEWEST_LEGACY,
      method: "initialize",
      params: initializeParams(this.#options.identity, this.#options.ports),
      read: (reply) => {
        if (!reply.ok) return { type: "initialize_refused" };
        this.#handshake = readHandshake(reply.result);
        return { type: "initialized" };
      },
      refused: { type: "initialize_refused" },
    });
  }

  #ping(): void {
    const answered: ProbeFact = { type: "ping_answered" };
    this.#ask({ revision: NEWEST_LEGACY, method: "ping", params: {}, read: () => answered, refused: answered });
    this.#watchSilence(this.#options.silenceMs);
  }

  #ask(question: Question): void {
    this.#learn(question, this.#attempt).catch((error: unknown) => this.#fail(toHostError(error)));
  }

  async #learn({ revision, method, params, headers, read, refused }: Question, attempt: number): Promise<void> {
    const peer = this.#peer!;
    peer.revision = revision;
    let reply: Reply;
    const exchange = peer.request(method, () => params, headers && { headers });
    this.#openings.push(exchange);
    try {
      reply = await exchange.reply;
    } catch (thrown) {
      const error = toHostError(thrown);
      if (this.#done || attempt !== this.#attempt) return;
      if (!isRefusal(error)) return this.#fail(error);
      this.#wentWrong(method, error);
      return this.#tell(refused, attempt);
    }
    this.#rejectLoop(reply);
    if (!reply.ok) this.#wentWrong(method, this.#refusedBy(method, reply.error));
    this.#tell(read(reply), attempt);
  }

  /** Throws SERVER_IS_SELF for a server that connects back to this host, whose tools would be our own. */
  #rejectLoop(reply: Reply): void {
    const { server, identity } = this.#options;
    const named = readHostIds(reply.ok ? reply.result["_meta"] : reply.error.data);
    const self = findOwnGateway(server, identity, named);
    if (self) throw self;
  }

  /** Why `initialize` failed says more than why `server/discover` did, whichever came last. */
  #wentWrong(method: OpeningMethod, error: HostError): void {
    if (method === "initialize" || this.#state.initialize !== "no") this.#lastError = error;
  }

  #refusedBy(method: string, error: PeerError): HostError {
    const { server } = this.#options;
    const { code, message } = error;
    return new HostError("REQUEST_FAILED", { server, method, code, message }, { cause: error });
  }

  /** Of HTTP an answer or a refusal is expected sooner or later; only one that hangs for long is not waited for. */
  #watchSilence(ms: number): void {
    if (!this.#peer?.transport.shared) ms *= HTTP_PATIENCE;
    const attempt = this.#attempt;
    const { clock, serverTime = clock } = this.#options;
    this.#stopSilence?.();
    this.#stopSilence = serverTime.after(ms, () => this.#tell({ type: "silence" }, attempt));
  }

  /** What is still unanswered when the matter is settled is not waited for; the server need not be told. */
  #forgetOpenings(): void {
    for (const exchange of this.#openings) exchange.cancel("no longer needed");
  }

  async #settle({ era, version }: Extract<ProbeMove, { type: "settle" }>): Promise<void> {
    this.#done = true;
    this.#stopSilence?.();
    this.#forgetOpenings();
    const { server, clock, random, identity, ports } = this.#options;
    const peer = this.#peer!;
    if (era === "modern") {
      const envelope = { identity, version };
      const session = new ModernClient({ server, peer, clock, random, ports, facts: this.#facts, envelope });
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
    this.#stopSilence?.();
    this.#reject(error);
  }
}

interface Question {
  readonly revision: string;
  readonly method: OpeningMethod;
  readonly params: JsonObject;
  readonly headers?: WireHeaders;
  readonly read: (reply: Reply) => ProbeFact;
  /** What it means when there is no answer to read. */
  readonly refused: ProbeFact;
}

/** Nobody is there to take a server's question yet; that it is alive it may ask at any time. */
function answerEarly(peer: Peer, { id, method }: RequestMessage): void {
  // A server that asks is of the older era, whatever it has been sent so far.
  peer.revision = NEWEST_LEGACY;
  // If the answer can't be delivered the peer has counted it.
  if (method === "ping") peer.respond(id, {}).catch(() => {});
  else peer.refuse(id, { code: METHOD_NOT_FOUND, message: `${method} is not supported before the session is open` });
}

/** Somebody is there and did not like the request, in whatever way that was said. */
function isRefusal(error: HostError): boolean {
  if (isAboutLogin(error)) return false;
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
