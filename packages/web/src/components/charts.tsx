/** Charts as plain SVG. Their labels are HTML, because the drawings are stretched. */
import type { ReactNode } from "react";

interface Series {
  readonly name: string;
  /** Undefined where there is no value. */
  readonly values: readonly (number | undefined)[];
}

type Point = readonly [x: number, y: number];

const WIDTH = 600;
const HEIGHT = 140;

/** A small line without axes. `label` describes it to a screen reader. */
export function Sparkline({ values, label }: { values: readonly number[]; label: string }) {
  if (values.length < 2) return null;
  const max = Math.max(...values, 1);
  const points = values.map((value, index): Point => [(index / (values.length - 1)) * 100, 22 - (value / max) * 20]);
  return (
    <svg className="sparkline" viewBox="0 0 100 24" preserveAspectRatio="none" role="img" aria-label={label}>
      <path d={toPath(points)} />
    </svg>
  );
}

interface LineChartProps {
  readonly series: readonly Series[];
  readonly label: string;
  /** The text of a value at the axis. */
  readonly format: (value: number) => string;
}

/**
 * The axis is logarithmic: each grid line is ten times the one below it. So fast and slow calls are visible together.
 */
export function LineChart({ series, label, format }: LineChartProps) {
  const values = series.flatMap((one) => one.values.filter((value) => value !== undefined));
  const low = Math.floor(Math.log10(Math.max(0.001, Math.min(...values, 1000))));
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(0.001, ...values))));
  const yOf = (value: number) => HEIGHT * (1 - (Math.log10(Math.max(value, 10 ** low)) - low) / (high - low));
  const decades = Array.from({ length: high - low + 1 }, (_, index) => 10 ** (low + index));
  const labels = decades.map((value) => ({ text: format(value), share: yOf(value) / HEIGHT }));
  return (
    <ChartFrame label={label} grid={values.length === 0 ? EMPTY_GRID : labels}>
      {series.map(({ name, values: own }, index) => {
        const points = own.flatMap((value, place): Point[] =>
          value === undefined ? [] : [[(place + 0.5) * (WIDTH / own.length), yOf(value)]],
        );
        return (
          <g key={name} className={`series-${index}`}>
            <path className="chart-line" d={toPath(points)} />
            <path className="chart-dots" d={points.map(([x, y]) => `M${x.toFixed(1)} ${y.toFixed(1)}h0.01`).join("")} />
          </g>
        );
      })}
    </ChartFrame>
  );
}

export interface Bar {
  readonly total: number;
  readonly failed: number;
  /** Shown when the pointer is over the bar. */
  readonly title: string;
}

/** One bar for each entry: all calls, and the failed ones in another colour. */
export function BarChart({ bars, label }: { bars: readonly Bar[]; label: string }) {
  const max = niceCeiling(Math.max(1, ...bars.map(({ total }) => total)));
  const width = WIDTH / Math.max(1, bars.length);
  const bar = (className: string, index: number, count: number) => {
    const height = (count / max) * HEIGHT;
    return <rect className={className} x={index * width + 1} width={width - 2} y={HEIGHT - height} height={height} />;
  };
  const shares = max === 1 ? [0, 1] : [0, 0.5, 1];
  const grid = shares.map((share) => ({ text: String(Math.round(max * (1 - share))), share }));
  return (
    <ChartFrame label={label} grid={grid}>
      {bars.map(({ total, failed, title }, index) =>
        // A bar has no identity but its place.
        total === 0 ? null : (
          <g key={index}>
            <title>{title}</title>
            {bar("bar", index, total)}
            {bar("bar-failed", index, failed)}
          </g>
        ),
      )}
    </ChartFrame>
  );
}

/** A line of the grid: its text, and its place from the top (0) to the bottom (1). */
interface GridLine {
  readonly text: string;
  readonly share: number;
}

const EMPTY_GRID: readonly GridLine[] = [
  { text: "", share: 0 },
  { text: "", share: 0.5 },
  { text: "", share: 1 },
];

function ChartFrame({ label, grid, children }: { label: string; grid: readonly GridLine[]; children: ReactNode }) {
  return (
    <div className="chart-frame">
      <svg
        className="chart"
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={label}
      >
        {grid.map(({ share }) => (
          <line key={share} className="chart-grid" x1={0} x2={WIDTH} y1={HEIGHT * share} y2={HEIGHT * share} />
        ))}
        {children}
      </svg>
      <div className="chart-labels" aria-hidden="true">
        {grid.map(({ text, share }) => (
          <span key={share} style={{ top: `${share * 100}%` }}>
            {text}
          </span>
        ))}
      </div>
    </div>
  );
}

/** Rounds up to 1, 2, 4, 6, 8, 10, 20, 40 and so on. All except 1 can be halved, for the grid line in the middle. */
function niceCeiling(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const step = [1, 2, 4, 6, 8, 10].find((one) => one * power >= value)!;
  return step * power;
}

function toPath(points: readonly Point[]): string {
  return points.map(([x, y], index) => `${index === 0 ? "M" : "L"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
}
