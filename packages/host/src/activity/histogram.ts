/** Counts durations in fixed memory, from a microsecond to an hour. A quantile has an error of at most 4 %. */

/** Each doubling of the duration, such as from 32 to 64 µs, is split into buckets of equal width. */
const SPLIT_BITS = 4;
const BUCKETS_PER_DOUBLING = 2 ** SPLIT_BITS;
/** Durations below 16 µs have one bucket per microsecond. Each of the 28 doublings up to 2^32 µs has 16 buckets. */
const BUCKET_COUNT = BUCKETS_PER_DOUBLING * (32 - SPLIT_BITS + 1);
const MAX_US = 2 ** 32 - 1;

export class Histogram {
  readonly #counts = new Uint32Array(BUCKET_COUNT);
  count = 0;
  /** Whole microseconds, because sums of fractions would depend on the order of the durations. */
  #maxUs = 0;
  #sumUs = 0;

  /** All public durations of this class are in milliseconds. */
  get max(): number {
    return this.#maxUs / 1000;
  }

  get sum(): number {
    return this.#sumUs / 1000;
  }

  record(ms: number): void {
    const us = Math.round(Math.max(ms, 0) * 1000);
    this.#counts[bucketOf(Math.min(us, MAX_US))]! += 1;
    this.count += 1;
    this.#sumUs += us;
    if (us > this.#maxUs) this.#maxUs = us;
  }

  add(other: Histogram): void {
    for (let bucket = 0; bucket < BUCKET_COUNT; bucket++) this.#counts[bucket]! += other.#counts[bucket]!;
    this.count += other.count;
    this.#sumUs += other.#sumUs;
    this.#maxUs = Math.max(this.#maxUs, other.#maxUs);
  }

  clear(): void {
    this.#counts.fill(0);
    this.count = this.#sumUs = this.#maxUs = 0;
  }

  /** Appends the sum, the maximum and the number of used buckets, then the index and the count of each used bucket. */
  pack(row: number[]): void {
    const start = row.push(this.#sumUs, this.#maxUs, 0) - 1;
    for (let bucket = 0; bucket < BUCKET_COUNT; bucket++) {
      const count = this.#counts[bucket]!;
      if (count === 0) continue;
      row.push(bucket, count);
      row[start]! += 1;
    }
  }

  /** Adds the numbers that `pack` has appended from this index. Returns the index after them. */
  addPacked(row: readonly number[], index: number): number {
    // The numbers may come from a file that somebody has changed. A bucket outside the array has no effect.
    const end = Math.min(index + 3 + 2 * row[index + 2]!, row.length);
    for (let at = index + 3; at < end; at += 2) {
      this.#counts[row[at]!]! += row[at + 1]!;
      this.count += row[at + 1]!;
    }
    this.#sumUs += row[index]!;
    this.#maxUs = Math.max(this.#maxUs, row[index + 1]!);
    return end;
  }

  /** Returns the duration below which this fraction of all durations lies. Returns 0 if nothing was recorded. */
  quantile(fraction: number): number {
    const remaining = Math.ceil(this.count * fraction);
    if (remaining === this.count) return this.max;
    // The midpoint of a bucket may be above the maximum.
    return Math.min(bucketMidpoint(this.#bucketAt(remaining)) / 1000, this.max);
  }

  /** Returns the shortest duration, with the error of a quantile. */
  get min(): number {
    return this.count === 0 ? 0 : Math.min(bucketMidpoint(this.#bucketAt(1)) / 1000, this.max);
  }

  /**
   * Returns how many durations lie between two neighbouring bounds. The first
   * count is below, the last above all bounds.
   */
  countsByBounds(boundsMs: readonly number[]): number[] {
    const counts = Array.from({ length: boundsMs.length + 1 }, () => 0);
    let index = 0;
    for (let bucket = 0; bucket < BUCKET_COUNT; bucket++) {
      while (index < boundsMs.length && bucketMidpoint(bucket) > boundsMs[index]! * 1000) index += 1;
      counts[index]! += this.#counts[bucket]!;
    }
    return counts;
  }

  /** Returns the bucket of the n-th shortest duration. */
  #bucketAt(n: number): number {
    let bucket = 0;
    let remaining = n;
    while ((remaining -= this.#counts[bucket]!) > 0) bucket += 1;
    return bucket;
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
