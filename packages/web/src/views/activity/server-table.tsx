/** The calls of each server in the time span: their number over time, their failures and their latency. */
import { sanitizeLine } from "@plugboard/contracts";
import type { CallGroup } from "@plugboard/contracts";
import { Button } from "../../components/button.tsx";
import { Sparkline } from "../../components/charts.tsx";
import { formatKnownMs } from "../../format/format.ts";

interface ServerTableProps {
  readonly servers: readonly CallGroup[];
  readonly selected: string;
  readonly onSelect: (server: string) => void;
}

/** A press on a server shows the charts and calls of this server alone. */
export function ServerTable({ servers, selected, onSelect }: ServerTableProps) {
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
          {servers.map(({ server, counts, calls, failed, phases: { server: latency } }) => (
            <tr key={server ?? ""} className={server === selected ? "selected" : ""}>
              <td>
                {server === undefined ? (
                  <span className="muted">further tools</span>
                ) : (
                  <Button
                    kind="quiet"
                    small
                    className="text-button"
                    aria-pressed={server === selected}
                    onClick={() => onSelect(server === selected ? "" : server)}
                  >
                    {sanitizeLine(server)}
                  </Button>
                )}
              </td>
              <td>
                <Sparkline values={counts} label={`Calls of ${sanitizeLine(server ?? "further tools")} over time`} />
              </td>
              <td className="number">{calls.toLocaleString("en")}</td>
              <td className={failed > 0 ? "number danger-text" : "number muted"}>{failed.toLocaleString("en")}</td>
              {[latency?.p50, latency?.p95, latency?.p99].map((value, index) => (
                <td key={index} className="number nowrap">
                  {formatKnownMs(value)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
