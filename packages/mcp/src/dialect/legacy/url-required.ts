/**
 * A legacy server that refuses a call until the user has visited a page. The
 * refusal becomes a question; once the user has agreed and the server says that
 * the visit is complete (or has had the time for it), the call is made again.
 */
import { isJsonObject } from "@plugboard/contracts";
import type { Json, PeerError } from "@plugboard/contracts";
import type { Clock } from "../../clock.ts";
import { readElicitation } from "../../wire/read-elicitation.ts";
import { URL_REQUIRED } from "../../wire/rpc-codes.ts";
import type { Ask } from "../ask.ts";
import type { Outcome } from "../outcome.ts";

export interface Refusal {
  readonly visited: UrlsVisited;
  /** How long a server that says nothing of the visit is given. */
  readonly patienceMs: number;
  /** What it is if nobody goes there. */
  readonly refused: () => Outcome;
  /** Makes the call again: it was refused before it ran. */
  readonly again: (signal: AbortSignal | undefined) => Promise<Outcome>;
}

/** How many pages one call may want visited. */
const MAX_PAGES = 32;

export function urlsRequired(error: PeerError, refusal: Refusal): Outcome | undefined {
  if (error.code !== URL_REQUIRED || !isJsonObject(error.data)) return undefined;
  const asks = readAsks(error.data["elicitations"]);
  if (!asks) return undefined;
  return {
    type: "asks",
    asks,
    overtaken: new AbortController().signal,
    resume: async (answers, { signal }) => {
      const agreed = Object.keys(asks).every((key) => answers[key]?.action === "accept");
      if (!agreed || signal?.aborted) return refusal.refused();
      await refusal.visited.wait(ids(asks), refusal.patienceMs, signal);
      return signal?.aborted ? refusal.refused() : refusal.again(signal);
    },
    abandon: () => {},
  };
}

/** Which visits servers have said to be complete, for those who wait for it. */
export class UrlsVisited {
  readonly #clock: Clock;
  readonly #waiting = new Map<string, Set<() => void>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  tell(id: Json | undefined): void {
    if (typeof id !== "string") return;
    for (const done of this.#waiting.get(id) ?? []) done();
  }

  /** Until all are complete, the time is over, or nobody wants it any more. */
  async wait(ids: readonly string[], patienceMs: number, signal?: AbortSignal): Promise<void> {
    await Promise.all(ids.map((id) => this.#wait(id, patienceMs, signal)));
  }

  #wait(id: string, patienceMs: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(id) ?? new Set();
      const done = () => {
        stop();
        signal?.removeEventListener("abort", done);
        waiting.delete(done);
        if (waiting.size === 0) this.#waiting.delete(id);
        resolve();
      };
      const stop = this.#clock.after(patienceMs, done);
      signal?.addEventListener("abort", done, { once: true });
      this.#waiting.set(id, waiting.add(done));
    });
  }
}

function readAsks(elicitations: Json | undefined): { [key: string]: Ask } | undefined {
  if (!Array.isArray(elicitations) || elicitations.length === 0 || elicitations.length > MAX_PAGES) return undefined;
  const asks: { [key: string]: Ask } = {};
  for (const [at, raw] of elicitations.entries()) {
    const elicitation = isJsonObject(raw) ? readElicitation({ ...raw, mode: "url" }) : { invalid: "" };
    if ("invalid" in elicitation || !isJsonObject(raw)) return undefined;
    asks[`url-${at + 1}`] = { type: "elicitation", elicitation, raw };
  }
  return asks;
}

function ids(asks: { readonly [key: string]: Ask }): string[] {
  return Object.values(asks).flatMap(({ raw: { elicitationId } }) =>
    typeof elicitationId === "string" ? [elicitationId] : [],
  );
}
