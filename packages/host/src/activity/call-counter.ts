/**
 * Counts ended calls, in constant time for each call. Each series has the numbers of the current ten seconds and those
 * since the host started. When the ten seconds are over, the current numbers move to the history. Calls are collected
 * and counted 64 at a time, which is cheaper than one by one, and no call waits for it.
 */
import { clientNameOf } from "@plugboard/contracts";
import type { CallerKind } from "@plugboard/contracts";
import { CallCell } from "./call-cell.ts";
import type { EndedCall } from "./call-cell.ts";
import { FINEST_BUCKET_MS } from "./call-history.ts";
import type { CallHistory } from "./call-history.ts";
import { MAX_SERIES, OTHER, outcomeOf, seriesOf } from "./call-series.ts";
import type { SeriesOrOther } from "./call-series.ts";

/** With a higher limit, the garbage collector would copy the collected calls before they are counted. */
const MAX_UNCOUNTED = 64;

interface CountedSeries {
  readonly series: SeriesOrOther;
  readonly current: CallCell;
  readonly sinceStart: CallCell;
}

type ByOutcome = Map<string, CountedSeries>;
type ByServer = Map<string, Map<string, ByOutcome>>;

export class CallCounter {
  /** Nested maps find a series without building a key. Two maps, because a client may have the name of a kind. */
  readonly #byKind = new Map<CallerKind, ByServer>();
  readonly #byClient = new Map<string, ByServer>();
  readonly #all: CountedSeries[] = [];
  #other: CountedSeries | undefined;
  readonly #uncounted: EndedCall[] = [];
  /** The number of ten-second intervals since 1970. */
  #interval = 0;
  #history: CallHistory;

  /** The numbers of past intervals move to `history`. */
  constructor(history: CallHistory) {
    this.#history = history;
  }

  record(call: EndedCall): void {
    if (this.#uncounted.push(call) === MAX_UNCOUNTED) this.#countAll();
  }

  /** Moves the current numbers to the history so far. The numbers of later calls will move to `next`. */
  moveTo(next: CallHistory): void {
    this.#countAll();
    this.#moveInterval();
    this.#history = next;
  }

  #countAll(): void {
    for (const call of this.#uncounted) this.#count(call);
    this.#uncounted.length = 0;
  }

  #count(call: EndedCall): void {
    const interval = Math.floor(call.at / FINEST_BUCKET_MS);
    if (interval !== this.#interval) {
      this.#moveInterval();
      this.#interval = interval;
    }
    this.#find(call).current.record(call);
  }

  #moveInterval(): void {
    for (const { series, current, sinceStart } of this.#all) {
      if (current.calls === 0) continue;
      this.#history.add(this.#interval * FINEST_BUCKET_MS, series, current.pack());
      sinceStart.add(current);
      current.clear();
    }
  }

  /** Returns the numbers of each series since the host started. */
  sinceStart(): { readonly series: SeriesOrOther; readonly cell: CallCell }[] {
    this.moveTo(this.#history);
    return this.#all.map(({ series, sinceStart }) => ({ series, cell: sinceStart }));
  }

  #find(call: EndedCall): CountedSeries {
    const { caller, server, tool } = call;
    const client = clientNameOf(caller);
    const byServer = client === undefined ? this.#byKind.get(caller.kind) : this.#byClient.get(client);
    return byServer?.get(server)?.get(tool)?.get(outcomeOf(call)) ?? this.#add(call, client);
  }

  #add(call: EndedCall, client: string | undefined): CountedSeries {
    const { caller, server } = call;
    const outcome = outcomeOf(call);
    // Models invent names of tools. All such names share one series, so that they don't fill this map.
    const tool = outcome === "TOOL_NOT_FOUND" ? "" : call.tool;
    const byServer =
      client === undefined
        ? getOrMake<CallerKind, ByServer>(this.#byKind, caller.kind)
        : getOrMake<string, ByServer>(this.#byClient, client);
    const known = byServer.get(server)?.get(tool)?.get(outcome);
    if (known) return known;
    if (this.#all.length >= MAX_SERIES) {
      if (!this.#other) this.#all.push((this.#other = newSeries(OTHER)));
      return this.#other;
    }
    const created = newSeries(seriesOf(call));
    getOrMake<string, ByOutcome>(getOrMake(byServer, server), tool).set(outcome, created);
    this.#all.push(created);
    return created;
  }
}

function newSeries(series: SeriesOrOther): CountedSeries {
  return { series, current: new CallCell(), sinceStart: new CallCell() };
}

function getOrMake<Key, Inner extends Map<string, unknown>>(map: Map<Key, Inner>, key: Key): Inner {
  const existing = map.get(key);
  if (existing) return existing;
  const made = new Map() as Inner;
  map.set(key, made);
  return made;
}
