/** The frame of the page: navigation, connection state and the view of the address. */
import { useEffect, useRef } from "react";
import type { ReactNode } from "react";
import { sanitizeLine } from "@plugboard/contracts";
import { ErrorBoundary } from "../components/error-boundary.tsx";
import { Badge, Notice } from "../components/layout.tsx";
import { signOut } from "../connection/sign-in.ts";
import { usePage } from "../hooks/context.tsx";
import { ActivityView } from "../views/activity/activity-view.tsx";
import { ConversationView } from "../views/chat/conversation-view.tsx";
import { ClientsView } from "../views/clients/clients-view.tsx";
import { ContentPageView } from "../views/content/content-page-view.tsx";
import type { SignedOutState } from "../store/page-state.ts";
import { InboxView } from "../views/inbox/inbox-view.tsx";
import { distinctQuestions } from "../questions/distinct-questions.ts";
import { useQuestionNotifications } from "../views/inbox/use-question-notifications.ts";
import { ServersView } from "../views/servers/servers-view.tsx";
import { ToolsView } from "../views/tools/tools-view.tsx";
import { Icon, Logo } from "./icons.tsx";
import type { IconName } from "./icons.tsx";
import { hrefOf, useRoute } from "../hooks/route.ts";
import { Button } from "../components/button.tsx";
import { ConfigProblemNotice } from "../components/config-problem-notice.tsx";
import { useConfigProblems } from "../hooks/use-config-problems.ts";

const VIEWS: readonly {
  /** Also the name of its icon. */
  readonly id: IconName;
  readonly title: string;
  readonly view: (rest: readonly string[]) => ReactNode;
}[] = [
  { id: "servers", title: "Servers", view: (rest) => <ServersView rest={rest} /> },
  { id: "tools", title: "Tools", view: (rest) => <ToolsView rest={rest} /> },
  { id: "content", title: "Resources", view: (rest) => <ContentPageView rest={rest} /> },
  { id: "inbox", title: "Inbox", view: () => <InboxView /> },
  { id: "activity", title: "Activity", view: (rest) => <ActivityView key={rest[0]} rest={rest} /> },
  { id: "chat", title: "Chat", view: (rest) => <ConversationView rest={rest} /> },
  { id: "clients", title: "Clients", view: () => <ClientsView /> },
];

export function Shell() {
  const link = usePage((state) => state.link);
  if (link === "signed_out" || link === "link_refused" || link === "session_ended") return <SignedOut state={link} />;
  if (link === "outdated") return <Outdated />;
  return <LiveShell lost={link === "lost"} />;
}

function LiveShell({ lost }: { lost: boolean }) {
  const error = usePage((state) => state.linkError);
  const hasSnapshot = usePage((state) => state.hasSnapshot);
  const { view, rest } = useRoute();
  const questions = usePage((state) => distinctQuestions(state.questions).length);
  const found = VIEWS.find(({ id }) => id === view) ?? VIEWS[0]!;
  useQuestionNotifications();
  useEffect(() => {
    document.title = `${questions > 0 ? `(${questions}) ` : ""}${found.title} · Plugboard`;
  }, [questions, found.title]);
  useFocusOnNewView(`${found.id}/${found.id === "servers" ? (rest[0] ?? "") : ""}`);
  const skip = () => document.getElementById("main")?.focus();
  return (
    <>
      <button type="button" className="button skip-link" onClick={skip}>
        Skip to content
      </button>
      {lost && (
        <div className="banner" role="alert">
          {error === undefined ? "The host does not answer." : sanitizeLine(error)} Trying again…
        </div>
      )}
      <div className="shell">
        <nav className="nav" aria-label="Views">
          <a className="nav-brand" href={hrefOf("servers")}>
            <Logo />
            <span>Plugboard</span>
          </a>
          <div className="nav-links">
            {VIEWS.map(({ id, title }) => (
              <a key={id} className="nav-link" href={hrefOf(id)} aria-current={id === found.id ? "page" : undefined}>
                <Icon name={id} />
                {title}
                {id === "inbox" && questions > 0 && (
                  <Badge tone="warn">
                    {questions}
                    <span className="hidden-text"> open questions</span>
                  </Badge>
                )}
              </a>
            ))}
          </div>
          <div className="nav-foot">
            <Button kind="quiet" small onClick={() => void signOut().then(() => location.reload())}>
              Sign out
            </Button>
          </div>
        </nav>
        <main id="main" className="main" tabIndex={-1}>
          {hasSnapshot ? (
            <>
              <ConfigErrors />
              <ErrorBoundary place={[found.id, ...rest].join("/")} subject="This view">
                {found.view(rest)}
              </ErrorBoundary>
            </>
          ) : (
            <p className="muted">Connecting…</p>
          )}
        </main>
      </div>
    </>
  );
}

/** Moves the focus to the heading of a new view. Then a screen reader reads it, and the next Tab goes on from there. */
function useFocusOnNewView(view: string): void {
  const shown = useRef(view);
  useEffect(() => {
    if (shown.current === view) return;
    shown.current = view;
    window.scrollTo(0, 0);
    document.querySelector<HTMLElement>("#main h1")?.focus({ preventScroll: true });
  }, [view]);
}

const WHY_SIGNED_OUT: { readonly [state in SignedOutState]?: string } = {
  link_refused: "This link is not valid any more. A link works once, for ten minutes, until the host stops.",
  session_ended: "The host was restarted, or you have signed out in another tab.",
};

function SignedOut({ state }: { state: SignedOutState }) {
  const why = WHY_SIGNED_OUT[state];
  return (
    <Gate title="This browser is not signed in">
      {why !== undefined && <Notice>{why}</Notice>}
      <p>Run this command in a terminal. It opens the page and signs this browser in.</p>
      <pre className="code-block">plugboard ui</pre>
      <p className="muted small">
        If the host was started with <code>npm start</code>, the command is <code>npm run ui</code>. The browser stays
        signed in until the host stops.
      </p>
    </Gate>
  );
}

function Outdated() {
  return (
    <Gate title="Plugboard was updated">
      <Notice>The host has another version than this page.</Notice>
      <Button kind="primary" onClick={() => location.reload()}>
        Load the new page
      </Button>
    </Gate>
  );
}

function Gate({ title, children }: { title: string; children: ReactNode }) {
  return (
    <main className="gate">
      <div className="card card-body stack">
        <div className="nav-brand">
          <Logo />
          <span>Plugboard</span>
        </div>
        <h1>{title}</h1>
        {children}
      </div>
    </main>
  );
}

/** The config files that can't be read, above every view until they are repaired. */
function ConfigErrors() {
  const errors = useConfigProblems("error");
  if (errors.length === 0) return null;
  return (
    <div className="stack config-errors">
      {errors.map((problem) => (
        <ConfigProblemNotice key={JSON.stringify(problem)} problem={problem} />
      ))}
    </div>
  );
}
