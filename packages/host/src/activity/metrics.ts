/**
 * Counts calls, errors and durations per server and tool since the host started. Names come from servers and callers,
 * so their number is limited: names beyond the limit are counted together.
 */
import type { CallMetrics, HostErrorCode, HostEvent, Metrics, ServerMetrics } from "@plugboard/contracts";
import { DurationMetrics } from "./duration-metrics.ts";

export interface CallSample {
  readonly server: string;
  readonly tool: string;
  readonly ms: number;
  readonly isError?: boolean | undefined;
  /** The error code of a failed call. */
  readonly code?: HostErrorCode | undefined;
}

const MAX_SERVERS = 500;
const MAX_TOOLS = 2000;

export class HostMetrics {
  readonly #since: number;
  readonly #servers = new Map<string, ServerSeries>();
  readonly #otherServers = new ServerSeries();
  #toolCount = 0;
  readonly durations = new DurationMetrics();
  #asked = 0;
  #answered = 0;

  constructor(since: number) {
    this.#since = since;
  }

  readonly onEvent = (event: HostEvent): void => {
    if (event.type === "question.asked") this.#asked += 1;
    if (event.type === "question.settled" && event.settlement.by === "answered") this.#answered += 1;
    if (event.type !== "call.ended") return;
    const { server, tool, durationMs: ms, isError, code } = event;
    this.record({ server, tool, ms, isError, code });
  };

  record(call: CallSample): void {
    this.#callSeries(call).record(call);
  }

  /** Counts an automatic restart of a server. */
  readonly recordRestart = (server: string): void => {
    this.#serverSeries(server).restarts += 1;
  };

  snapshot(): Metrics {
    const servers: ServerMetrics[] = [...this.#servers].map(([server, series]) => ({ server, ...series.snapshot() }));
    if (this.#servers.size >= MAX_SERVERS) servers.push(this.#otherServers.snapshot());
    const questions = { asked: this.#asked, answered: this.#answered };
    return { since: this.#since, servers, questions, durations: this.durations.snapshot() };
  }

  #callSeries({ server, tool, code }: CallSample): CallSeries {
    const series = this.#serverSeries(server);
    const existing = series.tools.get(tool);
    if (existing) return existing;
    // Models invent tool names. Those must not use up the limit.
    const isCountedSeparately =
      this.#toolCount < MAX_TOOLS && series !== this.#otherServers && code !== "TOOL_NOT_FOUND";
    if (!isCountedSeparately) return series.otherTools;
    this.#toolCount += 1;
    const created = new CallSeries();
    series.tools.set(tool, created);
    return created;
  }

  #serverSeries(server: string): ServerSeries {
    const existing = this.#servers.get(server);
    if (existing) return existing;
    if (this.#servers.size >= MAX_SERVERS) return this.#otherServers;
    const series = new ServerSeries();
    this.#servers.set(server, series);
    return series;
  }
}

class CallSeries {
  readonly #latency = new Histogram();
  readonly #errors = new Map<HostErrorCode, number>();
  #toolErrors = 0;

  get calls(): number {
    return this.#latency.count;
  }

  record({ ms, isError, code }: CallSample): void {
    this.#latency.record(ms);
    if (isError) this.#toolErrors += 1;
    if (code !== undefined) this.#errors.set(code, (this.#errors.get(code) ?? 0) + 1);
  }

  add(other: CallSeries): void {
    this.#latency.add(other.#latency);
    this.#toolErrors += other.#toolErrors;
    for (const [code, count] of other.#errors) this.#errors.set(code, (this.#errors.get(code) ?? 0) + count);
  }

  snapshot(): CallMetrics {
    const latency = this.#latency;
    return {
      calls: latency.count,
      toolErrors: this.#toolErrors,
      errors: Object.fromEntries(this.#errors),
      latency: {
        p50: latency.quantile(0.5),
        p90: latency.quantile(0.9),
        p99: latency.quantile(0.99),
        max: latency.max,
        sum: latency.sum,
      },
    };
  }
}

class ServerSeries {
  readonly tools = new Map<string, CallSeries>();
  readonly otherTools = new CallSeries();
  restarts = 0;

  snapshot(): Omit<ServerMetrics, "server"> {
    const all = new CallSeries();
    for (const series of [...this.tools.values(), this.otherTools]) all.add(series);
    const tools = [...this.tools].map(([tool, series]) => ({ tool, ...series.snapshot() }));
    const others = this.otherTools.calls > 0 ? [this.otherTools.snapshot()] : [];
    return { ...all.snapshot(), restarts: this.restarts, tools: [...tools, ...others] };
  }
}

/** Each doubling of the duration, such as from 32 to 64 µs, is split into buckets of equal width. */
const SPLIT_BITS = 4;
const BUCKETS_PER_DOUBLING = 2 ** SPLIT_BITS;
/** Durations below 16 µs get one bucket per microsecond. The 28 doublings from 16 µs to 2^32 µs get 16 buckets each. */
const BUCKET_COUNT = BUCKETS_PER_DOUBLING * (32 - SPLIT_BITS + 1);
const MAX_US = 2 ** 32 - 1;

/** Counts durations in fixed memory, from a microsecond to an hour. A quantile has an error of at most 4 %. */
export class Histogram {
  readonly #counts = new Uint32Array(BUCKET_COUNT);
  count = 0;
  /** In milliseconds, as all durations that this class takes and returns. */
  max = 0;
  sum = 0;

  record(ms: number): void {
    const us = Math.min(Math.max(ms, 0) * 1000, MAX_US) >>> 0;
    this.#counts[bucketOf(us)]! += 1;
    this.count += 1;
    this.sum += ms;
    if (ms > this.max) this.max = ms;
  }

  add(other: Histogram): void {
    for (let bucket = 0; bucket < BUCKET_COUNT; bucket++) this.#counts[bucket]! += other.#counts[bucket]!;
    this.count += other.count;
    this.sum += other.sum;
    this.max = Math.max(this.max, other.max);
  }

  /** Returns the duration below which this fraction of all durations lies. Returns 0 if nothing was recorded. */
  quantile(fraction: number): number {
    let remaining = Math.ceil(this.count * fraction);
    if (remaining === this.count) return this.max;
    let bucket = 0;
    while ((remaining -= this.#counts[bucket]!) > 0) bucket += 1;
    // The midpoint of a bucket may be above the maximum.
    return Math.min(bucketMidpoint(bucket) / 1000, this.max);
  }
}

/** The leading bit selects the doubling, and the four bits after it select the bucket. */
function bucketOf(us: number): number {
  if (us < BUCKETS_PER_DOUBLING) return us;
  const doublings = 31 - Math.clz32(us) - SPLIT_BITS;
  return (doublings << SPLIT_BITS) + (us >>> doublings);
}

/** Returns the middle of a bucket in microseconds. */
function bucketMidpoint(bucket: number): number {
  if (bucket < BUCKETS_PER_DOUBLING) return bucket;
  const doublings = (bucket >> SPLIT_BITS) - 1;
  return (BUCKETS_PER_DOUBLING + (bucket % BUCKETS_PER_DOUBLING) + 0.5) * 2 ** doublings;
}
