/**
 * Counts durations in fixed memory, from a microsecond to an hour. Sixteen buckets per doubling limit the error of a
 * quantile to 4 %. Recording allocates nothing.
 */
const STEP_BITS = 4;
const STEPS = 2 ** STEP_BITS;
/** One bucket per microsecond below `STEPS`, then `STEPS` buckets per doubling. */
const BUCKETS = STEPS * (32 - STEP_BITS + 1);
const MAX_US = 2 ** 32 - 1;

export class Histogram {
  readonly #counts = new Uint32Array(BUCKETS);
  count = 0;
  /** All durations are in milliseconds. */
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
    for (let place = 0; place < BUCKETS; place++) this.#counts[place]! += other.#counts[place]!;
    this.count += other.count;
    this.sum += other.sum;
    this.max = Math.max(this.max, other.max);
  }

  /** Returns the duration below which this fraction of all durations lies. Returns 0 if nothing was recorded. */
  quantile(fraction: number): number {
    let left = Math.ceil(this.count * fraction);
    if (left === this.count) return this.max;
    let bucket = 0;
    while ((left -= this.#counts[bucket]!) > 0) bucket += 1;
    // The midpoint of a bucket may be above the maximum.
    return Math.min(bucketMidpoint(bucket) / 1000, this.max);
  }
}

function bucketOf(us: number): number {
  if (us < STEPS) return us;
  const doublings = 31 - Math.clz32(us) - STEP_BITS;
  return (doublings << STEP_BITS) + (us >>> doublings);
}

/** Returns microseconds. */
function bucketMidpoint(bucket: number): number {
  if (bucket < STEPS) return bucket;
  const doublings = (bucket >> STEP_BITS) - 1;
  return (STEPS + (bucket % STEPS) + 0.5) * 2 ** doublings;
}
