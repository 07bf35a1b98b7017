/**
 * A cell has the numbers of calls that are counted together: how many, how many failed, their sizes and durations.
 * Packed as a text, a cell takes little memory and one line of a file.
 */
import { isFailedCall, serverMs } from "@plugboard/contracts";
import type { CallEntry, CallPhase, CallTotals, HostEvent, PhaseTimes } from "@plugboard/contracts";
import { Histogram } from "./histogram.ts";

export type EndedCall = Extract<HostEvent, { type: "call.ended" }>;

/** The index of a phase stands for it in packed cells, so the order must not change. */
const PHASES = ["server", "queue", "question", "retries", "start"] as const satisfies readonly CallPhase[];
/** How many numbers a packed cell has before its histograms. */
const HEAD = 4;

/** Matches a packed cell. */
export const PACKED_CELL = String.raw`\d+(?: \d+){${HEAD - 1},}`;

export class CallCell {
  calls = 0;
  failed = 0;
  #argumentBytes = 0;
  #resultBytes = 0;
  /** By the index of the phase. A histogram is made for the first call that has the phase. */
  readonly #phases: (Histogram | undefined)[] = PHASES.map(() => undefined);

  /** Runs once for each call. Makes an object only for the first call of a phase. */
  record(call: EndedCall | CallEntry): void {
    const { startMs, queueMs, questionMs, retryMs } = call;
    this.calls += 1;
    if (isFailedCall(call)) this.failed += 1;
    this.#argumentBytes += call.argumentBytes ?? 0;
    this.#resultBytes += call.resultBytes ?? 0;
    const latency = serverMs(call);
    if (latency !== undefined) this.#histogram(0).record(latency);
    if (queueMs !== undefined) this.#histogram(1).record(queueMs);
    if (questionMs !== undefined) this.#histogram(2).record(questionMs);
    if (retryMs !== undefined) this.#histogram(3).record(retryMs);
    if (startMs !== undefined) this.#histogram(4).record(startMs);
  }

  phase(name: CallPhase): Histogram | undefined {
    return this.#phases[PHASES.indexOf(name)];
  }

  add(other: CallCell): void {
    this.calls += other.calls;
    this.failed += other.failed;
    this.#argumentBytes += other.#argumentBytes;
    this.#resultBytes += other.#resultBytes;
    other.#phases.forEach((histogram, phase) => histogram && this.#histogram(phase).add(histogram));
  }

  clear(): void {
    this.calls = this.failed = this.#argumentBytes = this.#resultBytes = 0;
    for (const histogram of this.#phases) histogram?.clear();
  }

  /** Returns whole numbers with spaces between them: four totals, then the index and the histogram of each phase. */
  pack(): string {
    const row = [this.calls, this.failed, this.#argumentBytes, this.#resultBytes];
    PHASES.forEach((_, phase) => {
      const histogram = this.#phases[phase];
      if (!histogram?.count) return;
      row.push(phase);
      histogram.pack(row);
    });
    return row.join(" ");
  }

  addPacked(packed: string): void {
    const row = packed.split(" ").map(Number);
    this.calls += row[0]!;
    this.failed += row[1]!;
    this.#argumentBytes += row[2]!;
    this.#resultBytes += row[3]!;
    for (let index = HEAD; index < row.length;) {
      index = this.#histogram(row[index]!).addPacked(row, index + 1);
    }
  }

  totals(): CallTotals {
    const phases: { [Name in CallPhase]?: PhaseTimes } = {};
    PHASES.forEach((name, phase) => {
      const histogram = this.#phases[phase];
      if (histogram?.count) phases[name] = timesOf(histogram);
    });
    const { calls, failed } = this;
    return { calls, failed, argumentBytes: this.#argumentBytes, resultBytes: this.#resultBytes, phases };
  }

  #histogram(phase: number): Histogram {
    return (this.#phases[phase] ??= new Histogram());
  }
}

function timesOf(histogram: Histogram): PhaseTimes {
  const { count, sum, max } = histogram;
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map((share) => histogram.quantile(share)) as [number, number, number];
  return { count, sum, p50, p95, p99, max };
}
