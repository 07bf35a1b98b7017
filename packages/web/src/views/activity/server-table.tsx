/** The calls of each server in the time span: their number over time, their failures and their latency. */
import { useMemo } from "react";
import { sanitizeLine } from "@plugboard/contracts";
import { Button } from "../../components/button.tsx";
import { Sparkline } from "../../components/charts.tsx";
import { formatMs } from "../../format/format.ts";
import type { ActivityChartsProps } from "./activity-charts.tsx";
import { byServer } from "./call-statistics.ts";

const SPARK_BUCKETS = 24;

interface ServerTableProps extends ActivityChartsProps {
  readonly selected: string;
  readonly onSelect: (server: string) => void;
}

/** A press on a server shows the charts and calls of this server alone. */
export function ServerTable({ calls, span, now, selected, onSelect }: ServerTableProps) {
  const servers = useMemo(() => byServer(calls, now, span.ms, SPARK_BUCKETS), [calls, now, span.ms]);
  if (servers.length === 0) return null;
  return (
    <div className="card table-scroll">
      <table className="table">
        <caption className="hidden-text">Calls by server</caption>
        <thead>
          <tr>
            <th>Server</th>
            <th>Calls over time</th>
            <th className="number">Calls</th>
            <th className="number">Failed</th>
            <th className="number">Latency p50</th>
            <th className="number">p95</th>
            <th className="number">p99</th>
          </tr>
        </thead>
        <tbody>
          {servers.map(({ server, counts, total, failed, p50, p95, p99 }) => (
            <tr key={server} className={server === selected ? "selected" : ""}>
              <td>
                <Button
                  kind="quiet"
                  small
                  className="text-button"
                  aria-pressed={server === selected}
                  onClick={() => onSelect(server === selected ? "" : server)}
                >
                  {sanitizeLine(server)}
                </Button>
              </td>
              <td>
                <Sparkline values={counts} label={`Calls of ${sanitizeLine(server)} over time`} />
              </td>
              <td className="number">{total.toLocaleString("en")}</td>
              <td className={failed > 0 ? "number danger-text" : "number muted"}>{failed.toLocaleString("en")}</td>
              {[p50, p95, p99].map((value, index) => (
                <td key={index} className="number nowrap">
                  {formatMs(value)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
