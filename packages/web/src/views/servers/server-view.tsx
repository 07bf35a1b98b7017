/** One server: state, facts, tools, definition and log. */
import { sanitize, sanitizeLine } from "@plugboard/contracts";
import type { ListedTool, ServerDetail, ServerStatus } from "@plugboard/contracts";
import { JsonView } from "../../components/json-view.tsx";
import { Badge, Card, EmptyState, Notice, View } from "../../components/layout.tsx";
import { MessageText } from "../../components/message-text.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { isBuiltIn } from "../../format/built-in.ts";
import { plural } from "../../format/format.ts";
import { hrefOf } from "../../hooks/route.ts";
import { usePage } from "../../hooks/context.tsx";
import { useLoad } from "../../hooks/use-load.ts";
import { distinctQuestions } from "../../questions/distinct-questions.ts";
import { QuestionCard } from "../../questions/question-card.tsx";
import { QuestionList } from "../../questions/question-list.tsx";
import { BuiltInView } from "./built-in-view.tsx";
import { ServerActions } from "./server-actions.tsx";
import { ServerBreadcrumb } from "./server-breadcrumb.tsx";
import { ServerLog } from "./server-log.tsx";
import { ServerOverview } from "./server-overview.tsx";
import { stateBadge } from "./server-state.ts";
import { SOURCE_TEXTS } from "./source-texts.ts";
import { ToolLinks } from "./tool-links.tsx";

/** `tab` is a part of the address, so that other views can link to the log. */
export function ServerView({ id, tab }: { id: string; tab?: string | undefined }) {
  return isBuiltIn(id) ? <BuiltInView /> : <ConfiguredServerView id={id} tab={tab} />;
}

function ConfiguredServerView({ id, tab = "overview" }: { id: string; tab?: string | undefined }) {
  const status = usePage((state) => state.servers.find((server) => server.id === id));
  const revision = usePage((state) => state.catalogRevision);
  const detail = useLoad(({ workspace }) => workspace.servers.detail(id), [id, status?.state], revision);
  if (!status) {
    return (
      <View title={<ServerBreadcrumb name={id} />}>
        <div className="card">
          <EmptyState title="There is no such server">
            <a className="button" href={hrefOf("servers")}>
              Show all servers
            </a>
          </EmptyState>
        </div>
      </View>
    );
  }
  const { label, tone } = stateBadge(status);
  return (
    <View
      title={
        <>
          <ServerBreadcrumb name={id} />{" "}
          <Badge tone={tone} dot>
            {label}
          </Badge>
        </>
      }
      actions={<ServerActions status={status} onChanged={detail.reload} />}
    >
      <ServerProblem status={status} showsLog={tab === "log"} />
      <ServerQuestions id={id} />
      <Tabs
        label="Parts of the server"
        selected={tab}
        onSelect={(next) => (location.hash = hrefOf("servers", id, next))}
        tabs={[
          { id: "overview", title: "Overview" },
          { id: "tools", title: `Tools (${status.tools})` },
          { id: "definition", title: "Definition" },
          { id: "log", title: "Log" },
        ]}
      >
        {tab === "overview" && <ServerOverview status={status} detail={detail.data} />}
        {tab === "tools" && <OfferedTools status={status} detail={detail.data} />}
        {tab === "definition" && <Definition id={id} />}
        {tab === "log" && <ServerLog stderr={detail.data?.stderr} onReload={detail.reload} />}
      </Tabs>
      {detail.error !== undefined && <Notice tone="danger">{sanitize(detail.error)}</Notice>}
    </View>
  );
}

/** The last error, which says what to do, and the way to its details. */
function ServerProblem({ status, showsLog }: { status: ServerStatus; showsLog: boolean }) {
  const { id, lastError, state, transport, enabled } = status;
  if (!lastError || state === "ready" || !enabled) return null;
  return (
    <Notice tone={stateBadge(status).tone === "warn" ? "warn" : "danger"}>
      <div className="row-wrap">
        <span className="grow">
          <strong>{lastError.code}</strong> <MessageText text={lastError.message} />
        </span>
        {transport === "stdio" && !showsLog && (
          <a className="button button-small" href={hrefOf("servers", id, "log")}>
            Show the log
          </a>
        )}
        {lastError.code === "SERVER_UNTRUSTED" && (
          <a className="button button-small" href={hrefOf("servers")}>
            Review it
          </a>
        )}
      </div>
    </Notice>
  );
}

/** Questions about the server, such as its login, appear where the user has caused them. */
function ServerQuestions({ id }: { id: string }) {
  const questions = usePage((state) => state.questions);
  return (
    <QuestionList
      questions={distinctQuestions(questions.filter(({ server }) => server === id))}
      card={(question) => <QuestionCard key={question.id} question={question} />}
    />
  );
}

function OfferedTools({ status, detail }: { status: ServerStatus; detail: ServerDetail | undefined }) {
  if (!detail) return <p className="muted">Loading…</p>;
  const { offered, notOffered = [] } = detail;
  const listed = [...offered, ...notOffered];
  if (listed.length === 0 && status.enabled && status.state === "connecting")
    return <p className="muted">Connecting…</p>;
  if (listed.length === 0) {
    return (
      <div className="card">
        <EmptyState title="This server offers no tools" />
      </div>
    );
  }
  const links = (tools: readonly ListedTool[]) => (
    <ToolLinks tools={tools.map((tool) => ({ ...tool, server: detail.id }))} />
  );
  return (
    <>
      {offered.length > 0 && links(offered)}
      {notOffered.length > 0 && (
        <>
          <h2>Not offered ({notOffered.length})</h2>
          {links(notOffered)}
        </>
      )}
    </>
  );
}

function Definition({ id }: { id: string }) {
  const revision = usePage((state) => state.configRevision);
  const definitions = useLoad(({ operations }) => operations.definitions(id), [id, revision]);
  if (definitions.data?.length === 0)
    return <p className="muted">No config file defines it. It was defined on the command line or by a program.</p>;
  return definitions.data?.map(({ file, source, config, invalid }, index) => (
    <Card
      key={file}
      title={<code>{sanitizeLine(file)}</code>}
      actions={
        <Badge tone={index === 0 ? "ok" : "neutral"}>
          defined {SOURCE_TEXTS[source]}
          {index === 0 && ", in effect"}
        </Badge>
      }
    >
      {invalid !== undefined && <Notice tone="danger">{sanitize(invalid)}</Notice>}
      {config && (
        <div className="code-block">
          <JsonView value={config} />
        </div>
      )}
      <p className="small muted">
        {plural(definitions.data!.length, "file")} with this server. Values that may be secrets are masked.
      </p>
    </Card>
  ));
}
