/**
 * Counts durations of requests and sessions in histograms, with the names and attributes of the OpenTelemetry
 * conventions for MCP. Attributes contain names from servers and callers, so the number of attribute sets is limited.
 * Durations with further attribute sets are counted together.
 */
import type { DurationMetric, DurationPoint } from "@plugboard/contracts";
import { Histogram } from "./histogram.ts";
import type { Attributes } from "./operation.ts";

interface Point {
  readonly attributes: Attributes;
  readonly histogram: Histogram;
}

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

  /** `key` identifies the attributes. `attributes` is called only for the first duration of a key. */
  record(name: RecordedMetric, key: string, attributes: () => Attributes, seconds: number): void {
    const points = this.#metrics.get(name)!;
    const { histogram } = points.get(key) ?? this.#add(points, key, attributes());
    histogram.record(seconds * 1000);
  }

  snapshot(): DurationMetric[] {
    return [...this.#metrics].map(([name, points]) => ({
      name,
      bounds: DURATION_BOUNDS,
      points: [...points.values()].map(({ attributes, histogram }) => toPoint(attributes, histogram)),
    }));
  }

  #add(points: Map<string, Point>, key: string, attributes: Attributes): Point {
    if (this.#points >= MAX_POINTS) {
      const overflow = points.get(OVERFLOW_KEY) ?? { attributes: OVERFLOW, histogram: new Histogram() };
      points.set(OVERFLOW_KEY, overflow);
      return overflow;
    }
    this.#points += 1;
    const created = { attributes, histogram: new Histogram() };
    points.set(key, created);
    return created;
  }
}

/** No other attributes have this key, because other keys contain `\0`. */
const OVERFLOW_KEY = "overflow";

/** Returns a histogram with the bounds of the conventions. A duration near a bound may be counted on its wrong side. */
export function toPoint(attributes: Attributes, histogram: Histogram): DurationPoint {
  const { count, sum, min, max } = histogram;
  const buckets = histogram.countsByBounds(DURATION_BOUNDS.map((seconds) => seconds * 1000));
  return { attributes, count, sum: sum / 1000, min: min / 1000, max: max / 1000, buckets };
}
