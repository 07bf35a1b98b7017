/**
 * Handles legacy servers that reject a call until the user has visited a page. The rejection becomes a question. When
 * the user says that it is done, or the server reports the visit as complete, the call is sent again.
 */
import { isJsonObject } from "@plugboard/contracts";
import type { Json, PeerError, CancelSignal } from "@plugboard/contracts";
import { parseElicitation } from "../../wire/parse-elicitation.ts";
import { URL_ELICITATION_REQUIRED } from "../../wire/rpc-error-codes.ts";
import type { Ask } from "../../session/ask.ts";
import type { Outcome } from "../../session/outcome.ts";

export interface UrlElicitationOptions {
  readonly visits: () => UrlVisits;
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
  const allVisited = whenAllVisited(Object.values(asks));
  return {
    type: "asks",
    asks,
    rejected: true,
    obsolete: allVisited,
    resume: async (answers, { signal }) => {
      const isDone = allVisited.aborted || Object.keys(asks).every((key) => answers[key]?.action === "accept");
      return isDone && !signal?.aborted ? options.retry(signal) : options.fail();
    },
    abandon: () => {},
  };
}

/** Lets calls and clients know when the server has reported their visits as complete. */
export class UrlVisits {
  readonly #visited = new Map<string, AbortController>();

  /** Adds the signal of the visit to a question that asks the user to visit a URL. */
  track(ask: Ask): Ask {
    const id = elicitationId(ask);
    return id === undefined ? ask : ({ ...ask, visited: this.#controller(id).signal } as Ask);
  }

  complete(id: Json | undefined): void {
    if (typeof id !== "string") return;
    this.#visited.get(id)?.abort();
    this.#visited.delete(id);
  }

  /** Forgets the oldest visit if there are too many. */
  #controller(id: string): AbortController {
    const controller = this.#visited.get(id) ?? new AbortController();
    this.#visited.set(id, controller);
    const [oldest] = this.#visited.keys();
    if (this.#visited.size > MAX_VISITS) this.#visited.delete(oldest!);
    return controller;
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

/** Aborts when the server has reported the visits of all questions. Never aborts if one of them has no id. */
function whenAllVisited(asks: readonly Ask[]): AbortSignal {
  const all = new AbortController();
  let open = asks.length;
  const onVisited = () => {
    open -= 1;
    if (open === 0) all.abort();
  };
  for (const ask of asks) {
    if (ask.type === "elicitation") ask.visited?.addEventListener("abort", onVisited, { once: true });
  }
  return all.signal;
}

function elicitationId(ask: Ask): string | undefined {
  if (ask.type !== "elicitation" || ask.elicitation.mode !== "url") return undefined;
  const { elicitationId: id } = ask.rawParams;
  return typeof id === "string" ? id : undefined;
}
