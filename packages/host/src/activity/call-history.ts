/**
 * The numbers of calls over time: one packed cell for each series and time bucket. Each call is counted in buckets of
 * four lengths, and short buckets are dropped sooner than long ones. Limits the number of series and rows: beyond a
 * limit, calls are counted as `other`. Pure.
 */
import { isJsonObject } from "@plugboard/contracts";
import type { Json, JsonObject } from "@plugboard/contracts";
import { CallCell, PACKED_CELL } from "./call-cell.ts";
import { MAX_SERIES, OTHER, makeSeries } from "./call-series.ts";
import type { CallSeries, SeriesOrOther } from "./call-series.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The four lengths of buckets, shortest first. A row takes about 200 bytes of memory. */
const RESOLUTIONS = [
  { bucketMs: 10_000, keptMs: 15 * MINUTE_MS, maxRows: 3000 },
  { bucketMs: MINUTE_MS, keptMs: 3 * HOUR_MS, maxRows: 5000 },
  { bucketMs: 15 * MINUTE_MS, keptMs: 36 * HOUR_MS, maxRows: 16_000 },
  { bucketMs: HOUR_MS, keptMs: 60 * DAY_MS, maxRows: 24_000 },
] as const;

export const FINEST_BUCKET_MS = RESOLUTIONS[0].bucketMs;
export const MAX_SPAN_MS = RESOLUTIONS[3].keptMs;

/** The rows of one bucket, by series. A row is a packed cell. */
type Bucket = Map<SeriesOrOther, string>;

/** All buckets of one length. */
interface Level {
  readonly bucketMs: number;
  readonly keptMs: number;
  readonly maxRows: number;
  /** By the number of the bucket, counted from 1970. */
  readonly buckets: Map<number, Bucket>;
  rows: number;
}

/**
 * A history as JSON. A row is a text, so that it takes one line of the file. It has the length of its bucket in
 * seconds, the number of the bucket, the index of its series (-1 for `other`) and the packed cell.
 */
interface StoredHistory {
  readonly series: readonly Omit<CallSeries, "key">[];
  readonly rows: readonly string[];
}

const STORED_ROW = new RegExp(`^(\\d+) (\\d+) (-1|\\d+) (${PACKED_CELL})$`);

export class CallHistory {
  /** The known series, by key. */
  readonly #series = new Map<string, CallSeries>();
  readonly #levels: readonly Level[] = RESOLUTIONS.map((one) => ({ ...one, buckets: new Map(), rows: 0 }));

  /** Returns undefined if the content is not valid. */
  static parse(stored: Json | undefined): CallHistory | undefined {
    if (!isJsonObject(stored)) return undefined;
    const { series, rows } = stored;
    if (!Array.isArray(series) || !series.every(isSeries) || !Array.isArray(rows)) return undefined;
    const history = new CallHistory();
    const known = series.map((fields) => history.#intern(makeSeries(fields)));
    for (const text of rows) {
      const [, seconds, number, index, packed] = STORED_ROW.exec(typeof text === "string" ? text : "") ?? [];
      const level = history.#levels.find(({ bucketMs }) => bucketMs === Number(seconds) * 1000);
      const owner = index === "-1" ? OTHER : known[Number(index)];
      if (!level || !owner) return undefined;
      addRow(level, Number(number), owner, packed!);
    }
    return history;
  }

  /** Returns the length of the shortest buckets that are kept for this time span. */
  static bucketMsFor(spanMs: number): number {
    return (RESOLUTIONS.find(({ keptMs }) => keptMs >= spanMs) ?? RESOLUTIONS[3]).bucketMs;
  }

  /** Adds the packed numbers of calls that ended within the ten seconds that begin at `at`. */
  add(at: number, series: SeriesOrOther, row: string): void {
    const own = this.#intern(series);
    for (const level of this.#levels) addRow(level, Math.floor(at / level.bucketMs), own, row);
  }

  merge(other: CallHistory): void {
    other.#levels.forEach((level, index) => {
      for (const [number, bucket] of level.buckets) {
        for (const [series, row] of bucket) addRow(this.#levels[index]!, number, this.#intern(series), row);
      }
    });
  }

  /** Drops buckets that are too old. If there are still too many rows, counts the oldest buckets as `other`. */
  trim(now: number): void {
    for (const level of this.#levels) {
      const first = Math.floor((now - level.keptMs) / level.bucketMs);
      for (const [number, bucket] of level.buckets) {
        if (number >= first) continue;
        level.buckets.delete(number);
        level.rows -= bucket.size;
      }
      if (level.rows > level.maxRows) joinOldest(level);
    }
  }

  /** Calls back with every row of the last `count` buckets of this length. `index` counts from the oldest bucket. */
  forEach(
    { bucketMs, now, count }: { readonly bucketMs: number; readonly now: number; readonly count: number },
    use: (index: number, series: SeriesOrOther, row: string) => void,
  ): void {
    const { buckets } = this.#levels.find((level) => level.bucketMs === bucketMs)!;
    const first = Math.floor(now / bucketMs) - count + 1;
    for (let index = 0; index < count; index++) {
      buckets.get(first + index)?.forEach((row, series) => use(index, series, row));
    }
  }

  get isEmpty(): boolean {
    return this.#levels.every(({ rows }) => rows === 0);
  }

  toJSON(): StoredHistory {
    const indexes = new Map<SeriesOrOther, number>([[OTHER, -1]]);
    const rows: string[] = [];
    for (const { bucketMs, buckets } of this.#levels) {
      for (const [number, bucket] of buckets) {
        for (const [series, row] of bucket) {
          const index = indexes.get(series) ?? indexes.size - 1;
          indexes.set(series, index);
          rows.push(`${bucketMs / 1000} ${number} ${index} ${row}`);
        }
      }
    }
    const series = [...indexes.keys()].filter((one) => one !== OTHER);
    return {
      series: series.map(({ caller, client, server, tool, outcome }) => ({ caller, client, server, tool, outcome })),
      rows,
    };
  }

  /** Returns the one object for equal series, because buckets have series as keys. */
  #intern(series: SeriesOrOther): SeriesOrOther {
    if (series === OTHER) return OTHER;
    const known = this.#series.get(series.key);
    if (known) return known;
    if (this.#series.size >= MAX_SERIES) return OTHER;
    this.#series.set(series.key, series);
    return series;
  }
}

function isSeries(value: Json): value is JsonObject & Omit<CallSeries, "key"> {
  if (!isJsonObject(value)) return false;
  const { caller, client = "", server, tool = "", outcome } = value;
  return [caller, client, server, tool, outcome].every((one) => typeof one === "string");
}

function addRow(level: Level, number: number, series: SeriesOrOther, row: string): void {
  let bucket = level.buckets.get(number);
  if (!bucket) level.buckets.set(number, (bucket = new Map()));
  const existing = bucket.get(series);
  if (!existing) level.rows += 1;
  bucket.set(series, existing ? sumOf(existing, row) : row);
}

function sumOf(...rows: readonly string[]): string {
  const sum = new CallCell();
  for (const row of rows) sum.addPacked(row);
  return sum.pack();
}

/**
 * Joins all rows of a bucket to one row `other`, oldest buckets first, until a tenth of the limit is free for new rows.
 */
function joinOldest(level: Level): void {
  for (const number of [...level.buckets.keys()].toSorted((a, b) => a - b)) {
    if (level.rows <= level.maxRows * 0.9) return;
    const bucket = level.buckets.get(number)!;
    level.rows -= bucket.size - 1;
    level.buckets.set(number, new Map([[OTHER, sumOf(...bucket.values())]]));
  }
}
