/** The facts of one server: numbers of its calls, where it comes from, how it runs, and what it tells the model. */
import { describeSandbox, sanitize, sanitizeLine, formatDuration } from "@plugboard/contracts";
import type { ServerDetail, ServerStatus } from "@plugboard/contracts";
import { Sparkline } from "../../components/charts.tsx";
import { Card, FactList, Notice, Stat } from "../../components/layout.tsx";
import { formatKnownMs, formatTime, plural } from "../../format/format.ts";
import { hrefOf } from "../../hooks/route.ts";
import { usePage } from "../../hooks/context.tsx";
import { useLoad } from "../../hooks/use-load.ts";
import { useNow } from "../../hooks/use-now.ts";
import { isEditableSource } from "./editable-source.ts";
import { SOURCE_TEXTS } from "./source-texts.ts";

export function ServerOverview({ status, detail }: { status: ServerStatus; detail: ServerDetail | undefined }) {
  return (
    <>
      <Numbers status={status} />
      <Card>
        <ServerFacts status={status} />
      </Card>
      {detail?.droppedTools?.map(({ tool, reason }) => (
        <Notice key={tool} tone="warn">
          The tool <code>{sanitizeLine(tool)}</code> can't be used: {sanitizeLine(reason)}
        </Notice>
      ))}
      {detail?.instructions !== undefined && (
        <Card title="Instructions for the model">
          <p className="prose measure">{sanitize(detail.instructions)}</p>
        </Card>
      )}
    </>
  );
}

const NO_LATENCIES: readonly number[] = [];

function Numbers({ status: { id, state, tools, lastConnectedAt } }: { status: ServerStatus }) {
  const now = useNow(1000);
  const latencies = usePage((page) => page.latencies[id]) ?? NO_LATENCIES;
  const callRevision = usePage((page) => page.callRevision);
  const { data } = useLoad(({ workspace }) => workspace.activity.stats({ server: id }), [id], callRevision);
  const { calls = 0, failed = 0, phases: { server: latency } = {} } = data ?? {};
  return (
    <div className="stats">
      <Stat
        name="Up"
        value={state === "ready" && lastConnectedAt !== undefined ? formatDuration(now - lastConnectedAt) : "–"}
      />
      <Stat name="Tools" value={String(tools)} />
      <Stat name="Calls in 24 h" value={calls.toLocaleString("en")} />
      <Stat name="Failed in 24 h" value={failed.toLocaleString("en")} tone={failed > 0 ? "danger" : "neutral"} />
      <Stat name="Latency p50" value={formatKnownMs(latency?.p50)} />
      <Stat name="Latency p95" value={formatKnownMs(latency?.p95)} />
      <div className="card stat">
        <div className="small muted">
          <a className="plain-link" href={hrefOf("activity", id)}>
            Latency and calls
          </a>
        </div>
        {latencies.length < 2 ? (
          <div className="stat-value">–</div>
        ) : (
          <Sparkline values={latencies} label={`Latency of the last ${plural(latencies.length, "call")}`} />
        )}
      </div>
    </div>
  );
}

function ServerFacts({ status }: { status: ServerStatus }) {
  const now = useNow(1000);
  const { transport, source, target, sandbox, version, serverInfo, pid, restarts = 0, retryAt, login } = status;
  return (
    <FactList
      facts={[
        ["Target", <code key="target">{sanitizeLine(target)}</code>],
        ["Transport", transport],
        ...(transport === "stdio"
          ? [["Sandbox", sandbox ? sanitizeLine(describeSandbox(sandbox)) : "none"] as const]
          : []),
        [
          "Defined",
          isEditableSource(source)
            ? SOURCE_TEXTS[source]
            : `${SOURCE_TEXTS[source]}. The page can’t edit or remove it.`,
        ],
        ["Protocol", version ?? "–"],
        ["Server", serverInfo ? `${sanitizeLine(serverInfo.name)} ${sanitizeLine(serverInfo.version)}` : "–"],
        ...(pid === undefined ? [] : [["Process", String(pid)] as const]),
        ["Restarts", String(restarts)],
        ...(retryAt === undefined || retryAt < now
          ? []
          : [["Next attempt", `in ${formatDuration(retryAt - now)}`] as const]),
        ...(login
          ? [
              [
                "Login",
                `${sanitizeLine(login.user ?? login.issuer)}${login.expiresAt === undefined ? "" : `, until ${formatTime(login.expiresAt, now)}`}`,
              ] as const,
            ]
          : []),
      ]}
    />
  );
}
