/**
 * Counts durations in histograms, by the names and attributes of the OpenTelemetry conventions for MCP. Names come from
 * servers and callers, so the number of attribute sets is limited: those beyond the limit are counted together.
 */
import type { DurationMetric, DurationPoint } from "@plugboard/contracts";
import type { Attributes } from "./operation.ts";

/** The upper bounds of the buckets in seconds that the conventions recommend. */
export const DURATION_BOUNDS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];

const NAMES = [
  "mcp.client.operation.duration",
  "mcp.server.operation.duration",
  "mcp.client.session.duration",
  "mcp.server.session.duration",
] as const;
type RecordedMetric = (typeof NAMES)[number];
const MAX_POINTS = 2000;
/** The attribute that the OpenTelemetry specification uses for values beyond the limit. */
export const OVERFLOW: Attributes = { "otel.metric.overflow": "true" };

export class DurationMetrics {
  readonly #metrics = new Map<RecordedMetric, Map<string, Point>>(NAMES.map((name) => [name, new Map()]));
  #points = 0;

  /** `key` stands for the attributes, which are made only once for each key. */
  record(name: RecordedMetric, key: string, attributes: () => Attributes, seconds: number): void {
    const points = this.#metrics.get(name)!;
    const point = points.get(key) ?? this.#add(points, key, attributes());
    point.record(seconds);
  }

  snapshot(): DurationMetric[] {
    return [...this.#metrics].map(([name, points]) => ({
      name,
      bounds: DURATION_BOUNDS,
      points: [...points.values()].map((point) => point.snapshot()),
    }));
  }

  #add(points: Map<string, Point>, key: string, attributes: Attributes): Point {
    if (this.#points >= MAX_POINTS) {
      const overflow = points.get(OVERFLOW_KEY) ?? new Point(OVERFLOW);
      points.set(OVERFLOW_KEY, overflow);
      return overflow;
    }
    this.#points += 1;
    const created = new Point(attributes);
    points.set(key, created);
    return created;
  }
}

/** The key of no other attributes. */
const OVERFLOW_KEY = "overflow";

class Point {
  readonly #attributes: Attributes;
  readonly #buckets = Array.from({ length: DURATION_BOUNDS.length + 1 }, () => 0);
  #count = 0;
  #sum = 0;
  #min = Infinity;
  #max = 0;

  constructor(attributes: Attributes) {
    this.#attributes = attributes;
  }

  record(seconds: number): void {
    const index = DURATION_BOUNDS.findIndex((bound) => seconds <= bound);
    this.#buckets[index < 0 ? DURATION_BOUNDS.length : index]! += 1;
    this.#count += 1;
    this.#sum += seconds;
    this.#min = Math.min(this.#min, seconds);
    this.#max = Math.max(this.#max, seconds);
  }

  snapshot(): DurationPoint {
    return {
      attributes: this.#attributes,
      count: this.#count,
      sum: this.#sum,
      min: this.#min,
      max: this.#max,
      buckets: [...this.#buckets],
    };
  }
}
