/**
 * The latest calls with their caller, decision, result, duration and sizes, live, and the statistics of all calls in a
 * time span.
 */
import { useMemo, useState } from "react";
import { matchesCallFilter, sanitizeLine } from "@plugboard/contracts";
import type { CallerKind, CallFilter } from "@plugboard/contracts";
import { CheckBox, Select, TextInput } from "../../components/field.tsx";
import { EmptyState, Notice, View } from "../../components/layout.tsx";
import { callerText } from "../../format/caller.ts";
import { formatTime } from "../../format/format.ts";
import { usePage } from "../../hooks/context.tsx";
import { useLoad } from "../../hooks/use-load.ts";
import { useNow } from "../../hooks/use-now.ts";
import { ActivityCharts } from "./activity-charts.tsx";
import type { TimeSpan } from "./activity-charts.tsx";
import { CallTable } from "./call-table.tsx";
import { distinctNotices } from "./distinct-notices.ts";
import { ServerTable } from "./server-table.tsx";

const SPANS: readonly TimeSpan[] = [
  { ms: 300_000, label: "5 minutes" },
  { ms: 3_600_000, label: "1 hour" },
  { ms: 86_400_000, label: "24 hours" },
  { ms: 7 * 86_400_000, label: "7 days" },
];
const SHOWN_CALLS = 200;
/** The host counts in steps of this length, so the numbers of past steps need not be read more often. */
const STEP_MS = 10_000;

/** Empty texts select everything. */
interface FilterInput {
  readonly server: string;
  readonly caller: CallerKind | "";
  readonly text: string;
  readonly onlyFailed: boolean;
}

/** `#/activity/files` shows the calls of one server. */
export function ActivityView({ rest: [initialServer = ""] }: { rest: readonly string[] }) {
  const calls = usePage((state) => state.calls);
  const now = useNow(2000);
  const [span, setSpan] = useState(SPANS[0]!);
  const [input, setInput] = useState<FilterInput>({ server: initialServer, caller: "", text: "", onlyFailed: false });
  const set = (change: Partial<FilterInput>) => setInput({ ...input, ...change });
  const filter = useMemo(() => toFilter(input), [input]);
  const shown = useMemo(() => calls.filter((call) => matchesCallFilter(call, filter)), [calls, filter]);
  const callRevision = usePage((state) => state.callRevision);
  const stats = useLoad(
    async ({ workspace: { activity } }) => {
      const { server: _, ...ofAllServers } = filter;
      const ofAll = activity.stats({ ...ofAllServers, spanMs: span.ms });
      const ofSelected = filter.server === undefined ? ofAll : activity.stats({ ...filter, spanMs: span.ms });
      return { selected: await ofSelected, servers: (await ofAll).groups };
    },
    [span, filter, Math.floor(now / STEP_MS)],
    callRevision,
  );
  return (
    <View
      title="Activity"
      actions={
        <Select
          aria-label="Time span of the charts"
          value={String(span.ms)}
          onValue={(value) => setSpan(SPANS.find(({ ms }) => String(ms) === value) ?? SPANS[0]!)}
          choices={SPANS.map(({ ms, label }) => ({ value: String(ms), label: `Last ${label}` }))}
        />
      }
    >
      <HostNotices now={now} />
      {stats.error !== undefined && <Notice tone="warn">{stats.error}</Notice>}
      <ActivityCharts stats={stats.data?.selected} span={span} now={now} />
      <ServerTable servers={stats.data?.servers ?? []} selected={input.server} onSelect={(server) => set({ server })} />
      <div className="card">
        <CallFilters filter={input} onChange={set} />
        {shown.length === 0 ? (
          <EmptyState title={calls.length === 0 ? "No calls yet" : "No call matches"}>
            <p>
              {calls.length === 0
                ? "Every call of every client, chat and program appears here. Try a tool to see the first one."
                : "Choose another server or caller, or remove the filter."}
            </p>
          </EmptyState>
        ) : (
          <CallTable calls={shown.slice(0, SHOWN_CALLS)} now={now} />
        )}
        {shown.length > SHOWN_CALLS && (
          <p className="card-body small muted">
            The latest {SHOWN_CALLS} of {shown.length} calls.
          </p>
        )}
      </div>
    </View>
  );
}

function toFilter({ server, caller, text, onlyFailed }: FilterInput): CallFilter {
  return { ...(server !== "" && { server }), ...(caller !== "" && { caller }), text, onlyFailed };
}

/** The most important event of the host, and the others on request. */
function HostNotices({ now }: { now: number }) {
  const notices = usePage((state) => state.notices);
  const [first, ...others] = useMemo(() => distinctNotices(notices), [notices]);
  if (!first) return null;
  return (
    <Notice tone={first.tone}>
      {formatTime(first.at, now)}: {sanitizeLine(first.text)}
      {others.length > 0 && (
        <details className="small">
          <summary>and {others.length} more</summary>
          {others.map(({ seq, at, text }) => (
            <div key={seq}>
              {formatTime(at, now)}: {sanitizeLine(text)}
            </div>
          ))}
        </details>
      )}
    </Notice>
  );
}

function CallFilters({ filter, onChange }: { filter: FilterInput; onChange: (change: Partial<FilterInput>) => void }) {
  const calls = usePage((state) => state.calls);
  const servers = [...new Set([...calls.map(({ server }) => server), ...[filter.server].filter(Boolean)])].toSorted();
  const callers = [...new Set(calls.map(({ caller }) => caller))].toSorted();
  return (
    <div className="card-head filters">
      <Select
        aria-label="Server"
        value={filter.server}
        onValue={(server) => onChange({ server })}
        choices={[
          { value: "", label: "All servers" },
          ...servers.map((value) => ({ value, label: sanitizeLine(value) })),
        ]}
      />
      <Select
        aria-label="Caller"
        value={filter.caller}
        onValue={(caller) => onChange({ caller: callers.find((one) => one === caller) ?? "" })}
        choices={[
          { value: "", label: "All callers" },
          ...callers.map((value) => ({ value, label: callerText({ kind: value }) })),
        ]}
      />
      <TextInput
        type="search"
        aria-label="Filter calls"
        placeholder="Tool, client or error"
        value={filter.text}
        onValue={(text) => onChange({ text })}
      />
      <CheckBox checked={filter.onlyFailed} onChecked={(onlyFailed) => onChange({ onlyFailed })}>
        Only failed
      </CheckBox>
    </div>
  );
}
