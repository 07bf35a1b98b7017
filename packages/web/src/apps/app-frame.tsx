/** Shows the App of a tool: first what it would use, then its view in a sandboxed frame on another origin. */
import { useRef, useState } from "react";
import { sanitizeLine } from "@plugboard/contracts";
import type { JsonObject, OfferedTool, ToolResult, Workspace } from "@plugboard/contracts";
import { Button } from "../components/button.tsx";
import { ErrorBoundary } from "../components/error-boundary.tsx";
import { Notice } from "../components/layout.tsx";
import { useLoad } from "../hooks/use-load.ts";
import { AppConsent } from "./app-consent.tsx";
import { AppQuestions } from "./app-questions.tsx";
import { AppRequestDialog } from "./app-request.tsx";
import { loadApp, usesOrigins } from "./load-app.ts";
import type { LoadedApp } from "./load-app.ts";
import type { AppChat } from "./running-app.ts";
import { useAppBridge } from "./use-app-bridge.ts";

export interface AppProps {
  readonly workspace: Workspace;
  readonly tool: OfferedTool;
  /** The `ui://` resource of the view. */
  readonly uri: string;
  readonly args: JsonObject;
  readonly result: ToolResult;
  /** The chat that the call belongs to. */
  readonly chat?: AppChat;
}

export function AppFrame(props: AppProps) {
  const { workspace, tool, uri } = props;
  const { server } = tool;
  const [allowed, setAllowed] = useState(false);
  const [closed, setClosed] = useState(false);
  const loaded = useLoad(
    async ({ operations }) => {
      const { sandboxOrigin } = await operations.overview();
      if (sandboxOrigin === undefined) throw new Error("The host has no port for Apps.");
      return { sandboxOrigin, app: await loadApp(workspace, { server, uri, sandboxOrigin }) };
    },
    [workspace, server, uri],
  );
  // After a reconnection to the host, `useLoad` loads the App again, but the running App stays as it is.
  const first = useRef(loaded.data);
  first.current ??= loaded.data;
  if (loaded.error !== undefined && !first.current) {
    return <Notice tone="danger">The App can't be shown: {sanitizeLine(loaded.error)}</Notice>;
  }
  if (!first.current) return <p className="muted">Loading the App…</p>;
  const { app, sandboxOrigin } = first.current;
  if (closed) {
    return (
      <Button small onClick={() => setClosed(false)}>
        Show the App of {sanitizeLine(server)}
      </Button>
    );
  }
  if (!allowed && usesOrigins(app.allowed)) {
    return <AppConsent server={server} app={app} onAllow={() => setAllowed(true)} />;
  }
  return (
    <ErrorBoundary subject="The App">
      <RunningFrame {...props} app={app} sandboxOrigin={sandboxOrigin} onClosed={() => setClosed(true)} />
    </ErrorBoundary>
  );
}

export interface RunningFrameProps extends AppProps {
  readonly app: LoadedApp;
  readonly sandboxOrigin: string;
  readonly onClosed: () => void;
}

function RunningFrame(props: RunningFrameProps) {
  const { tool, app } = props;
  const running = useAppBridge(props);
  const { frame, src, height, mode, setMode, calls, request, answer, late, stopped, logs, close } = running;
  const isFull = mode === "fullscreen";
  const bordered = app.declaration.prefersBorder !== false || isFull;
  return (
    <section
      className={`app ${isFull ? "app-full" : ""} ${bordered ? "app-bordered" : ""}`}
      aria-label={`App of ${sanitizeLine(tool.server)}`}
      onKeyDown={({ key }) => key === "Escape" && setMode("inline")}
    >
      <div className="app-head">
        <span className="grow small muted cut">
          App of <strong>{sanitizeLine(tool.server)}</strong> for <code>{sanitizeLine(tool.tool)}</code>. The server
          controls its content.
        </span>
        <Button small kind="quiet" aria-pressed={isFull} onClick={() => setMode(isFull ? "inline" : "fullscreen")}>
          {isFull ? "Leave full screen" : "Full screen"}
        </Button>
        <Button small kind="quiet" onClick={close}>
          Close
        </Button>
      </div>
      <Restrictions app={app} />
      {late && stopped === undefined && (
        <Notice tone="warn">The App has not started yet. Its code may be broken.</Notice>
      )}
      {stopped === undefined ? (
        <iframe
          ref={frame}
          className="app-frame"
          title={`App of ${sanitizeLine(tool.server)}`}
          // The frame has another origin than the page. The App runs in a frame inside of it, with an opaque origin.
          sandbox="allow-scripts allow-same-origin allow-forms"
          referrerPolicy="no-referrer"
          src={src}
          style={isFull ? undefined : { height }}
        />
      ) : (
        <Notice tone="danger">The App was stopped: {stopped}.</Notice>
      )}
      <AppQuestions server={tool.server} calls={calls} />
      {request && <AppRequestDialog server={tool.server} request={request} onAnswer={answer} />}
      {logs.length > 0 && (
        <details className="small app-logs">
          <summary>Messages of the App ({logs.length})</summary>
          <pre className="code-block">{logs.join("\n")}</pre>
        </details>
      )}
    </section>
  );
}

function Restrictions({ app: { refused, declaration } }: { app: LoadedApp }) {
  if (refused.length === 0 && declaration.permissions.length === 0) return null;
  return (
    <div className="app-restrictions small muted">
      {refused.map(({ origin, reason }) => (
        <div key={origin}>
          Not allowed: <code>{sanitizeLine(origin)}</code>, because {reason}.
        </div>
      ))}
      {declaration.permissions.length > 0 && (
        <div>Not granted: {declaration.permissions.map((name) => sanitizeLine(name)).join(", ")}.</div>
      )}
    </div>
  );
}
