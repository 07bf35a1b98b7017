/**
 * Counts durations in fixed memory, from a microsecond to an hour. Each doubling of the duration, such as from 32 to
 * 64 µs, is split into sixteen buckets of equal width. That limits the error of a quantile to 4 %.
 */
const SPLIT_BITS = 4;
const BUCKETS_PER_DOUBLING = 2 ** SPLIT_BITS;
/** Below 16 µs, each microsecond has its own bucket. */
const BUCKET_COUNT = BUCKETS_PER_DOUBLING * (32 - SPLIT_BITS + 1);
const MAX_US = 2 ** 32 - 1;

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
