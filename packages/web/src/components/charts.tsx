/** Charts as plain SVG. */
export interface Series {
  readonly name: string;
  /** Undefined where there is no value. */
  readonly values: readonly (number | undefined)[];
}

const WIDTH = 600;
const HEIGHT = 140;

/** The latest values of one server. `label` describes it to a screen reader. */
export function Sparkline({ values, label }: { values: readonly number[]; label: string }) {
  if (values.length < 2) return <span className="muted small">–</span>;
  const max = Math.max(...values, 1);
  const points = values.map((value, index) => [(index / (values.length - 1)) * 100, 22 - (value / max) * 20] as const);
  return (
    <svg className="sparkline" viewBox="0 0 100 24" preserveAspectRatio="none" role="img" aria-label={label}>
      <path d={toPath(points)} />
    </svg>
  );
}

export function LineChart({ series, label }: { series: readonly Series[]; label: string }) {
  const max = Math.max(1, ...series.flatMap(({ values }) => values.map((value) => value ?? 0)));
  return (
    <svg className="chart" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={label}>
      <Grid />
      {series.map(({ name, values }, index) => (
        <path key={name} className={`chart-line series-${index}`} d={toPath(toPoints(values, max))} />
      ))}
    </svg>
  );
}

/** One bar for each pair: all calls, and the failed ones in another colour. */
export function BarChart({
  bars,
  label,
}: {
  bars: readonly { readonly total: number; readonly failed: number }[];
  label: string;
}) {
  const max = Math.max(1, ...bars.map(({ total }) => total));
  const width = WIDTH / Math.max(1, bars.length);
  const heightOf = (count: number) => (count / max) * (HEIGHT - 8);
  return (
    <svg className="chart" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={label}>
      <Grid />
      {bars.map(({ total, failed }, index) => (
        // A bar has no identity but its place.
        <g key={index}>
          <rect
            className="bar"
            x={index * width + 1}
            width={width - 2}
            y={HEIGHT - heightOf(total)}
            height={heightOf(total)}
          />
          <rect
            className="bar-failed"
            x={index * width + 1}
            width={width - 2}
            y={HEIGHT - heightOf(failed)}
            height={heightOf(failed)}
          />
        </g>
      ))}
    </svg>
  );
}

function Grid() {
  return (
    <>
      {[0.25, 0.5, 0.75, 1].map((share) => (
        <line key={share} className="chart-grid" x1={0} x2={WIDTH} y1={HEIGHT * share} y2={HEIGHT * share} />
      ))}
    </>
  );
}

function toPoints(values: Series["values"], max: number): readonly (readonly [number, number] | undefined)[] {
  const step = WIDTH / Math.max(1, values.length);
  return values.map((value, index) =>
    value === undefined ? undefined : ([(index + 0.5) * step, HEIGHT - 4 - (value / max) * (HEIGHT - 12)] as const),
  );
}

/** Leaves out missing points. */
function toPath(points: readonly (readonly [number, number] | undefined)[]): string {
  const present = points.filter((point) => point !== undefined);
  const line = present.map(([x, y], index) => `${index === 0 ? "M" : "L"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
  // A line without length is drawn as a dot.
  return present.length === 1 ? `${line}h0.01` : line;
}
