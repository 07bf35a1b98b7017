/** All servers with their live state. */
import { memo, useEffect, useMemo, useRef, useState } from "react";
import { sanitizeLine, formatDuration } from "@plugboard/contracts";
import type { PendingServer, ServerStatus } from "@plugboard/contracts";
import { Sparkline } from "../../components/charts.tsx";
import { Button } from "../../components/button.tsx";
import { TextInput } from "../../components/field.tsx";
import { ConfigProblemNotice } from "../../components/config-problem-notice.tsx";
import { Badge, EmptyState, View } from "../../components/layout.tsx";
import { MessageText } from "../../components/message-text.tsx";
import { formatKnownMs, plural, quantile } from "../../format/format.ts";
import { hrefOf } from "../../hooks/route.ts";
import { usePage } from "../../hooks/context.tsx";
import { useConfigProblems } from "../../hooks/use-config-problems.ts";
import { useLoad } from "../../hooks/use-load.ts";
import { useNow } from "../../hooks/use-now.ts";
import { AddServerDialog } from "./add/add-server-dialog.tsx";
import type { AddWay } from "./add/add-server-dialog.tsx";
import { useDecisions } from "../inbox/stored-decisions.tsx";
import { EnableSwitch } from "./enable-switch.tsx";
import { compareServers, stateBadge } from "./server-state.ts";
import { ServerView } from "./server-view.tsx";
import { SOURCE_TEXTS } from "./source-texts.ts";
import { StartPage } from "./add/start-page.tsx";
import { TrustCard } from "./trust-card.tsx";

/** How many rows are drawn at first. More rows are drawn on request, and the filter finds all servers. */
const PAGE_SIZE = 100;

export function ServersView({ rest }: { rest: readonly string[] }) {
  const [id, tab] = rest;
  return id === undefined || id === "" ? <ServerList /> : <ServerView key={id} id={id} tab={tab} />;
}

function ServerList() {
  const servers = usePage((state) => state.servers);
  const revision = usePage((state) => state.configRevision);
  const pending = useLoad(({ workspace }) => workspace.config.pending(), [revision]);
  // `ConfigErrors` shows the errors above every view.
  const warnings = useConfigProblems("warning");
  const lapsed = useDecisions().filter((decision) => decision.lapsed);
  const [filter, setFilter] = useState("");
  const [rows, setRows] = useState(PAGE_SIZE);
  const body = useRef<HTMLTableSectionElement>(null);
  /** The row to focus after more rows are shown: the focused button may be gone. */
  const firstNew = useRef<number>(undefined);
  const showRows = (count: number) => {
    firstNew.current = rows;
    setRows(count);
  };
  useEffect(() => {
    if (firstNew.current !== undefined) body.current?.rows[firstNew.current]?.querySelector("a")?.focus();
    firstNew.current = undefined;
  }, [rows]);
  const [adding, setAdding] = useState<AddWay>();
  const now = useNow(5000);
  const shown = useMemo(() => {
    const word = filter.trim().toLowerCase();
    const matches = ({ id, target, state }: ServerStatus) => `${id} ${target} ${state}`.toLowerCase().includes(word);
    return servers.filter(matches).toSorted(compareServers);
  }, [servers, filter]);
  const waiting = pending.data ?? [];
  const isEmpty = servers.length === 0 && waiting.length === 0;
  return (
    <View
      title="Servers"
      actions={
        <>
          {servers.length > 5 && (
            <TextInput
              type="search"
              aria-label="Filter servers"
              placeholder="Filter"
              value={filter}
              onValue={setFilter}
            />
          )}
          <Button kind="primary" onClick={() => setAdding("manual")}>
            Add server
          </Button>
        </>
      }
    >
      {warnings.map((problem) => (
        <ConfigProblemNotice key={JSON.stringify(problem)} problem={problem} />
      ))}
      {waiting.map((server: PendingServer) => (
        <TrustCard key={`${server.id} ${server.hash}`} server={server} onDone={pending.reload} />
      ))}
      {isEmpty && <StartPage onAdd={setAdding} />}
      {servers.length > 0 && (
        <div className="card table-scroll">
          <table className="table table-cards server-table">
            <caption className="hidden-text">Servers</caption>
            <thead>
              <tr>
                <th>Server</th>
                <th>State</th>
                <th>Protocol</th>
                <th>Defined</th>
                <th className="number">Tools</th>
                <th className="number">Up</th>
                <th className="number">Restarts</th>
                <th>Latency</th>
                <th>
                  <span className="hidden-text">Enabled</span>
                </th>
              </tr>
            </thead>
            <tbody ref={body}>
              {shown.slice(0, rows).map((server) => (
                <ServerRow
                  key={server.id}
                  server={server}
                  upFor={upTime(server, now)}
                  changed={lapsed.some((decision) => decision.server === server.id)}
                />
              ))}
            </tbody>
          </table>
          {shown.length > rows && (
            <div className="card-body row">
              <span className="small muted grow" role="status">
                {rows} of {plural(shown.length, "server")}
              </span>
              <Button onClick={() => showRows(rows + PAGE_SIZE)}>
                Show {Math.min(PAGE_SIZE, shown.length - rows)} more
              </Button>
              <Button onClick={() => showRows(shown.length)}>Show all</Button>
            </div>
          )}
          {shown.length === 0 && <EmptyState title="No server matches" />}
        </div>
      )}
      {adding && <AddServerDialog initialWay={adding} onClose={() => setAdding(undefined)} />}
    </View>
  );
}

function upTime({ state, lastConnectedAt }: ServerStatus, now: number): string {
  return state === "ready" && lastConnectedAt !== undefined ? formatDuration(now - lastConnectedAt) : "–";
}

/** Drawn again only if its own values have changed, not those of another server. */
const ServerRow = memo(function ServerRow({
  server,
  upFor,
  changed,
}: {
  server: ServerStatus;
  upFor: string;
  /** True if a tool of the server has changed since the user allowed it. */
  changed: boolean;
}) {
  const { id, target, transport, source, era, version, tools, restarts = 0, lastError, state } = server;
  const latencies = usePage((page) => page.latencies[id]);
  const { label, tone } = stateBadge(server);
  return (
    <tr>
      <td>
        <a className="server-name" href={hrefOf("servers", id)}>
          {sanitizeLine(id)}
        </a>
        <div className="small muted cut" title={sanitizeLine(target)}>
          {sanitizeLine(target)}
        </div>
        {lastError && state !== "ready" && tone !== "neutral" && (
          <div className={tone === "danger" || state === "connecting" ? "row-error" : "row-error row-error-warn"}>
            <MessageText text={sanitizeLine(lastError.message)} />
          </div>
        )}
      </td>
      <td data-label="State" className="wide">
        <Badge tone={tone} dot>
          {label}
        </Badge>
      </td>
      <td data-label="Protocol" className="nowrap wide">
        {transport}
        <div className="small muted">{version ?? era ?? ""}</div>
      </td>
      <td data-label="Defined">{SOURCE_TEXTS[source]}</td>
      <td data-label="Tools" className="number">
        {tools}
        {changed && (
          <div>
            <Badge tone="warn">changed</Badge>
          </div>
        )}
      </td>
      <td data-label="Up" className="number nowrap">
        {upFor}
      </td>
      <td data-label="Restarts" className="number">
        {restarts}
      </td>
      <td data-label="Latency" className="wide">
        <div className="row">
          <Sparkline values={latencies ?? []} label={`Latency of the last ${plural(latencies?.length ?? 0, "call")}`} />
          <span className="small muted nowrap">{formatKnownMs(quantile(latencies ?? [], 0.5))}</span>
        </div>
      </td>
      <td className="switch-cell">
        <EnableSwitch server={server} />
      </td>
    </tr>
  );
});
