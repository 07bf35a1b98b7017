/**
 * What a legacy server asks, and to whom it is put. A question is tied to a call
 * if it came on that call's own stream, or if no other call could have caused it;
 * otherwise it is a stray.
 */
import { isPeerError } from "@plugboard/contracts";
import type { JsonObject } from "@plugboard/contracts";
import type { RequestId, RequestMessage } from "../../wire/message.ts";
import type { Peer } from "../../wire/peer.ts";
import type { WireHeaders } from "../../wire/transport.ts";
import { NO_ANSWER } from "../ask.ts";
import type { AskAnswer } from "../ask.ts";
import { readAsk, writeAnswer } from "../read-ask.ts";
import type { InFlight, SessionPorts } from "../session.ts";
import { LegacyCall } from "./call.ts";
import type { Question } from "./call.ts";
import type { CallsInFlight } from "./calls-in-flight.ts";

export interface QuestionsOptions {
  readonly peer: Peer;
  readonly headers: WireHeaders;
  readonly calls: CallsInFlight;
  readonly ports: SessionPorts;
}

export class Questions {
  /** True once a question has come without naming its call. */
  unnamed = false;

  readonly #options: QuestionsOptions;
  readonly #strays = new Map<RequestId, AbortController>();

  constructor(options: QuestionsOptions) {
    this.#options = options;
  }

  asked({ id, method, params = {} }: RequestMessage, via: RequestId | undefined): void {
    const { peer, headers, calls, ports } = this.#options;
    if (method === "ping") return this.#tell(id, via, {});
    if (method === "roots/list" && ports.roots) {
      return this.#tell(id, via, { roots: ports.roots().map((root) => ({ ...root })) });
    }
    const ask = readAsk(method, params, ports.sampling ?? false);
    if (isPeerError(ask)) return peer.refuse(id, ask, headers, via);
    const question = { id, via, ask };
    if (via !== undefined) {
      const own = calls.get(via);
      // On the stream of a call that has ended: it is nobody else's question.
      return own ? own.ask(question) : this.#stray(question, []);
    }
    this.unnamed = true;
    const { only } = calls;
    if (only) only.ask(question);
    else this.#stray(question, calls.all);
  }

  /** Rejects if the answer can't be delivered. */
  async answer({ id, via, ask }: Question, answer: AskAnswer): Promise<void> {
    const { peer, headers } = this.#options;
    const written = writeAnswer(ask, answer);
    if ("error" in written) peer.refuse(id, written.error, headers, via);
    else await peer.respond(id, written.result, headers, via);
  }

  withdrawn(id: RequestId, via: RequestId | undefined): void {
    const { peer, calls } = this.#options;
    peer.forget(id, via);
    this.#strays.get(id)?.abort();
    for (const call of calls.live) if (call.withdraw(id)) return;
  }

  closed(): void {
    for (const stray of this.#strays.values()) stray.abort();
  }

  #stray(question: Question, inFlight: readonly InFlight[]): void {
    const { id, ask } = question;
    this.#strays.get(id)?.abort();
    const withdrawn = new AbortController();
    const taken = this.#options.ports.onStrayAsk(ask, inFlight, withdrawn.signal);
    if (taken instanceof LegacyCall) return taken.ask(question);
    this.#strays.set(id, withdrawn);
    // Whichever call it belongs to waits for the answer.
    const waiting = this.#options.calls.live;
    for (const call of waiting) call.hold();
    const answered = (taken as Promise<AskAnswer>).catch(() => NO_ANSWER);
    void answered.then((answer) => {
      for (const call of waiting) call.unhold();
      if (this.#strays.get(id) === withdrawn) this.#strays.delete(id);
      // If it can't be delivered the peer has counted it, and nobody else waits.
      if (!withdrawn.signal.aborted) this.answer(question, answer).catch(() => {});
    });
  }

  #tell(id: RequestId, via: RequestId | undefined, result: JsonObject): void {
    const { peer, headers } = this.#options;
    peer.respond(id, result, headers, via).catch(() => {});
  }
}
