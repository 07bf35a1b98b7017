/**
 * Handles legacy servers that reject a call until the user has visited a page. The rejection becomes a question. When
 * the user agrees and the server reports the visit as complete, or after a timeout, the call is sent again.
 */
import { isJsonObject } from "@plugboard/contracts";
import type { Json, PeerError } from "@plugboard/contracts";
import type { CancelSignal } from "../../lib/cancellation.ts";
import type { Clock } from "../../lib/clock.ts";
import { parseElicitation } from "../../wire/parse-elicitation.ts";
import { URL_ELICITATION_REQUIRED } from "../../wire/rpc-error-codes.ts";
import type { Ask } from "../../session/ask.ts";
import { neverObsolete } from "../../session/outcome.ts";
import type { Outcome } from "../../session/outcome.ts";

export interface UrlElicitationOptions {
  readonly visits: () => UrlVisits;
  /** How long to wait for the server to report the visit. */
  readonly timeoutMs: number;
  /** Returns the outcome if the user does not visit the page. */
  readonly fail: () => Outcome;
  /** Sends the call again. It was rejected before it ran. */
  readonly retry: (signal: CancelSignal | undefined) => Promise<Outcome>;
}

const MAX_URLS = 32;
/** The most visits that are remembered until the server reports them. */
const MAX_VISITS = 1000;

export function urlElicitationOutcome(error: PeerError, options: UrlElicitationOptions): Outcome | undefined {
  if (error.code !== URL_ELICITATION_REQUIRED || !isJsonObject(error.data)) return undefined;
  const asks = parseAsks(error.data["elicitations"], options.visits());
  if (!asks) return undefined;
  return {
    type: "asks",
    asks,
    obsolete: neverObsolete(),
    resume: async (answers, { signal }) => {
      const agreed = Object.keys(asks).every((key) => answers[key]?.action === "accept");
      if (!agreed || signal?.aborted) return options.fail();
      await options.visits().wait(elicitationIds(asks), options.timeoutMs, signal);
      return signal?.aborted ? options.fail() : options.retry(signal);
    },
    abandon: () => {},
  };
}

/** Lets calls and clients wait until the server has reported their visits as complete. */
export class UrlVisits {
  readonly #clock: Clock;
  readonly #waiters = new Map<string, Set<() => void>>();
  readonly #visited = new Map<string, AbortController>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Adds the signal of the visit to a question that asks the user to visit a URL. */
  track(ask: Ask): Ask {
    const id = elicitationId(ask);
    return id === undefined ? ask : ({ ...ask, visited: this.#controller(id).signal } as Ask);
  }

  complete(id: Json | undefined): void {
    if (typeof id !== "string") return;
    for (const done of this.#waiters.get(id) ?? []) done();
    this.#visited.get(id)?.abort();
    this.#visited.delete(id);
  }

  /** Resolves when all visits are complete, on timeout, or when the signal aborts. */
  async wait(ids: readonly string[], timeoutMs: number, signal?: CancelSignal): Promise<void> {
    await Promise.all(ids.map((id) => this.#waitForOne(id, timeoutMs, signal)));
  }

  /** Forgets the oldest visit if there are too many. */
  #controller(id: string): AbortController {
    const controller = this.#visited.get(id) ?? new AbortController();
    this.#visited.set(id, controller);
    const [oldest] = this.#visited.keys();
    if (this.#visited.size > MAX_VISITS) this.#visited.delete(oldest!);
    return controller;
  }

  #waitForOne(id: string, timeoutMs: number, signal: CancelSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const waiting = this.#waiters.get(id) ?? new Set();
      const done = () => {
        stop();
        signal?.removeEventListener("abort", done);
        waiting.delete(done);
        if (waiting.size === 0) this.#waiters.delete(id);
        resolve();
      };
      const stop = this.#clock.after(timeoutMs, done);
      signal?.addEventListener("abort", done, { once: true });
      this.#waiters.set(id, waiting.add(done));
    });
  }
}

function parseAsks(elicitations: Json | undefined, visits: UrlVisits): { [key: string]: Ask } | undefined {
  if (!Array.isArray(elicitations) || elicitations.length === 0 || elicitations.length > MAX_URLS) return undefined;
  const asks: { [key: string]: Ask } = {};
  for (const [index, raw] of elicitations.entries()) {
    if (!isJsonObject(raw)) return undefined;
    const elicitation = parseElicitation({ ...raw, mode: "url" });
    if ("invalid" in elicitation) return undefined;
    asks[`url-${index + 1}`] = visits.track({ type: "elicitation", elicitation, rawParams: raw });
  }
  return asks;
}

function elicitationIds(asks: { readonly [key: string]: Ask }): string[] {
  return Object.values(asks).flatMap((ask) => elicitationId(ask) ?? []);
}

function elicitationId(ask: Ask): string | undefined {
  if (ask.type !== "elicitation" || ask.elicitation.mode !== "url") return undefined;
  const { elicitationId: id } = ask.rawParams;
  return typeof id === "string" ? id : undefined;
}
