/** One server: state, facts, tools, definition and log. */
import { useState } from "react";
import { sanitize, sanitizeLine } from "@plugboard/contracts";
import type { ServerDetail, ServerStatus } from "@plugboard/contracts";
import { ActionButton, Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { JsonView } from "../../components/json-view.tsx";
import { Badge, Card, EmptyState, Facts, Notice, Stat, View } from "../../components/layout.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { useToaster } from "../../components/toasts.tsx";
import { formatDuration, formatMs, formatTime, plural, quantile } from "../../format/format.ts";
import { hrefOf } from "../../shell/route.ts";
import { useClient, useLoad, usePage } from "../../store/context.tsx";
import { distinctQuestions } from "../inbox/distinct-questions.ts";
import { QuestionCard } from "../inbox/question-card.tsx";
import { EditServerDialog } from "./edit-server-dialog.tsx";
import { shownState } from "./server-state.ts";
import { EnableSwitch } from "./enable-switch.tsx";
import { useNow } from "../../store/use-now.ts";

export function ServerView({ id }: { id: string }) {
  const status = usePage((state) => state.servers.find((server) => server.id === id));
  const revision = usePage((state) => state.catalogRevision);
  const detail = useLoad(({ workspace }) => workspace.servers.detail(id), [id, status?.state], revision);
  const [tab, setTab] = useState("overview");
  if (!status) {
    return (
      <View title={sanitizeLine(id)}>
        <EmptyState title="There is no such server">
          <a href={hrefOf("servers")}>All servers</a>
        </EmptyState>
      </View>
    );
  }
  const { label, tone } = shownState(status);
  return (
    <View
      title={
        <span className="row-wrap">
          <a className="breadcrumb" href={hrefOf("servers")}>
            Servers
          </a>
          <span className="muted">/</span> {sanitizeLine(id)}{" "}
          <Badge tone={tone} dot>
            {label}
          </Badge>
        </span>
      }
      actions={<ServerActions status={status} onChanged={detail.reload} />}
    >
      {status.lastError && status.state !== "ready" && (
        <Notice tone={tone === "danger" ? "danger" : "warn"}>
          <strong>{status.lastError.code}</strong> {sanitize(status.lastError.message)}
        </Notice>
      )}
      <ServerQuestions id={id} />
      <Tabs
        label="Parts of the server"
        selected={tab}
        onSelect={setTab}
        tabs={[
          { id: "overview", title: "Overview" },
          { id: "tools", title: `Tools (${detail.data?.offered.length ?? status.tools})` },
          { id: "definition", title: "Definition" },
          { id: "log", title: "Log" },
        ]}
      >
        {tab === "overview" && <Overview status={status} detail={detail.data} />}
        {tab === "tools" && <OfferedTools detail={detail.data} />}
        {tab === "definition" && <Definition id={id} />}
        {tab === "log" && <Log stderr={detail.data?.stderr} onReload={detail.reload} />}
      </Tabs>
      {detail.error !== undefined && <Notice tone="danger">{sanitize(detail.error)}</Notice>}
    </View>
  );
}

/** Questions about the server, such as its login, appear where the user has caused them. */
function ServerQuestions({ id }: { id: string }) {
  const questions = usePage((state) => state.questions);
  return distinctQuestions(questions.filter(({ server }) => server === id)).map((question) => (
    <QuestionCard key={question.id} question={question} />
  ));
}

function ServerActions({ status, onChanged }: { status: ServerStatus; onChanged: () => void }) {
  const client = useClient();
  const { report } = useToaster();
  const [editing, setEditing] = useState(false);
  const [removing, setRemoving] = useState(false);
  const { id, state, login, transport } = status;
  const act = async (change: Promise<unknown>, done: string) => {
    await report(change, done);
    onChanged();
    await client.refresh().catch(() => {});
  };
  const { servers } = client.connected.workspace;
  const isRemote = transport !== "stdio" && transport !== "sdk";
  return (
    <>
      <EnableSwitch server={status} />
      {(state === "auth_required" || (isRemote && !login)) && (
        <ActionButton
          kind={state === "auth_required" ? "primary" : "plain"}
          onAction={() => act(servers.login(id), `Logged in at ${id}`)}
        >
          Log in
        </ActionButton>
      )}
      {login && <ActionButton onAction={() => act(servers.logout(id), `Logged out of ${id}`)}>Log out</ActionButton>}
      {state === "ready" || state === "connecting" ? (
        <ActionButton onAction={() => act(servers.reconnect(id), `${id} is connected again`)}>Reconnect</ActionButton>
      ) : (
        <ActionButton onAction={() => act(servers.connect(id), `${id} is connected`)}>Connect</ActionButton>
      )}
      <Button onClick={() => setEditing(true)}>Edit</Button>
      <Button kind="danger" onClick={() => setRemoving(true)}>
        Remove
      </Button>
      {editing && <EditServerDialog id={id} onClose={() => setEditing(false)} />}
      {removing && <RemoveDialog id={id} onClose={() => setRemoving(false)} />}
    </>
  );
}

function RemoveDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const client = useClient();
  const { report } = useToaster();
  const definitions = useLoad(({ management }) => management.definitions(id), [id]);
  const removable = (definitions.data ?? []).find(({ scope }) => scope !== undefined);
  const removed = async () => {
    await client.connected.management.removeServer(id, removable!.scope!);
    await client.reloadConfig();
  };
  const remove = async () => {
    const done = await report(removed(), `${id} is removed`);
    if (done) location.hash = hrefOf("servers");
    onClose();
  };
  return (
    <Dialog
      title={`Remove ${sanitizeLine(id)}?`}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <ActionButton kind="danger" disabled={!removable} onAction={remove}>
            Remove
          </ActionButton>
        </>
      }
    >
      {removable ? (
        <p>
          This removes its definition from <code>{sanitizeLine(removable.file)}</code> and stops it.
        </p>
      ) : (
        <p>
          {definitions.loading
            ? "Reading the config files…"
            : "It is defined where the page can't change it, such as on the command line."}
        </p>
      )}
    </Dialog>
  );
}

function Overview({ status, detail }: { status: ServerStatus; detail: ServerDetail | undefined }) {
  const now = useNow(1000);
  const latencies = usePage((state) => state.latencies[status.id]);
  const calls = usePage((state) => state.calls);
  const {
    transport,
    source,
    target,
    era,
    version,
    serverInfo,
    pid,
    restarts = 0,
    lastConnectedAt,
    retryAt,
    login,
  } = status;
  const own = calls.filter(({ server }) => server === status.id);
  const failed = own.filter(({ outcome, isError }) => outcome === "failed" || isError).length;
  const shown = (value: number | undefined) => (value === undefined ? "–" : formatMs(value));
  return (
    <>
      <div className="stats">
        <Stat name="Tools" value={String(status.tools)} />
        <Stat name="Calls" value={String(own.length)} />
        <Stat name="Failed" value={String(failed)} />
        <Stat name="p50" value={shown(quantile(latencies ?? [], 0.5))} />
        <Stat name="p95" value={shown(quantile(latencies ?? [], 0.95))} />
        <Stat
          name="Up"
          value={
            status.state === "ready" && lastConnectedAt !== undefined ? formatDuration(now - lastConnectedAt) : "–"
          }
        />
      </div>
      <Card>
        <Facts
          facts={[
            ["Target", <code key="target">{sanitizeLine(target)}</code>],
            ["Transport", transport],
            ["Source", source],
            ["Protocol", version === undefined ? "–" : `${version} (${era})`],
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
      </Card>
      {detail?.instructions !== undefined && (
        <Card title="Instructions for the model">
          <p className="prose">{sanitize(detail.instructions)}</p>
        </Card>
      )}
      {detail?.droppedTools?.map(({ tool, reason }) => (
        <Notice key={tool} tone="warn">
          The tool <code>{sanitizeLine(tool)}</code> can’t be used: {sanitizeLine(reason)}
        </Notice>
      ))}
    </>
  );
}

function OfferedTools({ detail }: { detail: ServerDetail | undefined }) {
  if (!detail) return <p className="muted">Loading…</p>;
  if (detail.offered.length === 0) return <EmptyState title="It offers no tools now" />;
  return (
    <div className="card">
      <ul>
        {detail.offered.map(({ name, description }) => (
          <li key={name} className="card-head">
            <a className="grow" href={hrefOf("tools", detail.id, name)}>
              <code>{sanitizeLine(name)}</code>
              <div className="small muted cut">{sanitizeLine(description ?? "")}</div>
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Definition({ id }: { id: string }) {
  const revision = usePage((state) => state.configRevision);
  const definitions = useLoad(({ management }) => management.definitions(id), [id, revision]);
  if (definitions.data?.length === 0)
    return <p className="muted">No config file defines it. It comes from the command line or a program.</p>;
  return definitions.data?.map(({ file, source, entry, invalid }, index) => (
    <Card
      key={file}
      title={<code>{sanitizeLine(file)}</code>}
      actions={<Badge tone={index === 0 ? "ok" : "neutral"}>{index === 0 ? `${source}, in effect` : source}</Badge>}
    >
      {invalid !== undefined && <Notice tone="danger">{sanitize(invalid)}</Notice>}
      {entry && <JsonView value={entry} />}
      <p className="small muted">
        {plural(definitions.data!.length, "file")} with this server. Values that may be secrets are masked.
      </p>
    </Card>
  ));
}

function Log({ stderr, onReload }: { stderr: string | undefined; onReload: () => void }) {
  return (
    <Card
      title="End of stderr"
      actions={
        <Button small onClick={onReload}>
          Reload
        </Button>
      }
    >
      {stderr === undefined || stderr === "" ? (
        <p className="muted">The server has written nothing to stderr.</p>
      ) : (
        <pre className="code-block" tabIndex={0}>
          {sanitize(stderr)}
        </pre>
      )}
    </Card>
  );
}
