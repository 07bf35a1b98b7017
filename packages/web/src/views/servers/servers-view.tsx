/** All servers with their live state. */
import { useMemo, useState } from "react";
import { sanitizeLine } from "@plugboard/contracts";
import type { PendingServer, ServerStatus } from "@plugboard/contracts";
import { Sparkline } from "../../components/charts.tsx";
import { Button } from "../../components/button.tsx";
import { TextInput } from "../../components/field.tsx";
import { Badge, EmptyState, Notice, View } from "../../components/layout.tsx";
import { formatDuration, formatMs, plural, quantile } from "../../format/format.ts";
import { hrefOf } from "../../shell/route.ts";
import { useLoad, usePage } from "../../store/context.tsx";
import { useNow } from "../../store/use-now.ts";
import { AddServerDialog } from "./add-server-dialog.tsx";
import { EnableSwitch } from "./enable-switch.tsx";
import { compareServers, shownState } from "./server-state.ts";
import { ServerView } from "./server-view.tsx";
import { TrustCard } from "./trust-card.tsx";

export function ServersView({ rest }: { rest: readonly string[] }) {
  const [id] = rest;
  return id === undefined || id === "" ? <ServerList /> : <ServerView id={id} />;
}

function ServerList() {
  const servers = usePage((state) => state.servers);
  const revision = usePage((state) => state.configRevision);
  const pending = useLoad(({ workspace }) => workspace.config.pending(), [revision]);
  const problems = useLoad(({ workspace }) => workspace.config.problems(), [revision]);
  const [filter, setFilter] = useState("");
  const [adding, setAdding] = useState(false);
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
          <Button kind="primary" onClick={() => setAdding(true)}>
            Add server
          </Button>
        </>
      }
    >
      {problems.data?.map(({ severity, file, line, message }) => (
        <Notice key={`${file}:${line}:${message}`} tone={severity === "error" ? "danger" : "warn"}>
          <code>
            {sanitizeLine(file)}
            {line === undefined ? "" : `:${line}`}
          </code>
          : {sanitizeLine(message)}
        </Notice>
      ))}
      {waiting.map((server: PendingServer) => (
        <TrustCard key={`${server.id} ${server.hash}`} server={server} onDone={pending.reload} />
      ))}
      {isEmpty && <StartPage onAdd={() => setAdding(true)} />}
      {servers.length > 0 && (
        <div className="card table-scroll">
          <table className="table table-cards">
            <caption className="hidden-text">Servers</caption>
            <thead>
              <tr>
                <th>Server</th>
                <th>State</th>
                <th>Protocol</th>
                <th>Source</th>
                <th className="number">Tools</th>
                <th className="number">Up</th>
                <th className="number">Restarts</th>
                <th>Latency</th>
                <th>
                  <span className="hidden-text">Enabled</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {shown.map((server) => (
                <ServerRow key={server.id} server={server} now={now} />
              ))}
            </tbody>
          </table>
          {shown.length === 0 && <EmptyState title="No server matches" />}
        </div>
      )}
      {adding && <AddServerDialog onClose={() => setAdding(false)} />}
    </View>
  );
}

function StartPage({ onAdd }: { onAdd: () => void }) {
  return (
    <div className="card">
      <EmptyState title="Add your first server">
        <p>
          Plugboard runs MCP servers for all your agents. Type a command or a URL, take the servers of another client on
          this machine, or search the registry.
        </p>
        <Button kind="primary" onClick={onAdd}>
          Add a server
        </Button>
      </EmptyState>
    </div>
  );
}

function ServerRow({ server, now }: { server: ServerStatus; now: number }) {
  const {
    id,
    target,
    transport,
    source,
    era,
    version,
    tools,
    restarts = 0,
    lastConnectedAt,
    lastError,
    state,
  } = server;
  const latencies = usePage((page) => page.latencies[id]);
  const { label, tone } = shownState(server);
  const median = quantile(latencies ?? [], 0.5);
  const up = state === "ready" && lastConnectedAt !== undefined ? formatDuration(now - lastConnectedAt) : "–";
  return (
    <tr>
      <td>
        <a className="server-name" href={hrefOf("servers", id)}>
          {sanitizeLine(id)}
        </a>
        <div className="small muted cut" style={{ maxWidth: "22rem" }} title={sanitizeLine(target)}>
          {sanitizeLine(target)}
        </div>
        {lastError && state !== "ready" && tone !== "neutral" && (
          <div className={tone === "danger" || state === "connecting" ? "row-error" : "row-error row-error-warn"}>
            {sanitizeLine(lastError.message)}
          </div>
        )}
      </td>
      <td data-label="State">
        <Badge tone={tone} dot>
          {label}
        </Badge>
      </td>
      <td data-label="Protocol" className="nowrap">
        {transport}
        <div className="small muted">{version ?? era ?? ""}</div>
      </td>
      <td data-label="Source">{source}</td>
      <td data-label="Tools" className="number">
        {tools}
      </td>
      <td data-label="Up" className="number nowrap">
        {up}
      </td>
      <td data-label="Restarts" className="number">
        {restarts}
      </td>
      <td data-label="Latency">
        <div className="row">
          <Sparkline values={latencies ?? []} label={`Latency of the last ${plural(latencies?.length ?? 0, "call")}`} />
          {median !== undefined && <span className="small muted nowrap">{formatMs(median)}</span>}
        </div>
      </td>
      <td className="switch-cell">
        <EnableSwitch server={server} />
      </td>
    </tr>
  );
}
