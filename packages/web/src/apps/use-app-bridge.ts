/** Connects the frame of an App with its bridge, and gives the bridge the page's ports. */
import { useCallback, useEffect, useRef, useState } from "react";
import type { RefObject } from "react";
import { sanitizeLine } from "@plugboard/contracts";
import type { JsonObject } from "@plugboard/contracts";
import { PAGE_VERSION } from "../page-version.ts";
import { SANDBOX_LEFT, SANDBOX_READY, SANDBOX_RESOURCE } from "../sandbox/sandbox-messages.ts";
import { AppBridge } from "./app-bridge.ts";
import type { AppProps } from "./app-frame.tsx";
import { AppError, notificationMessage, REQUEST_FAILED } from "./app-message.ts";
import type { AppRequest, DisplayMode } from "./app-ports.ts";
import { carryOutRequest } from "./carry-out-request.ts";
import { FIRST_HEIGHT, hostContext, limitHeight, onThemeChanged, themeContext } from "./host-context.ts";
import { sandboxUrl, toCspDeclaration } from "./load-app.ts";
import type { LoadedApp } from "./load-app.ts";
import { ownServerPorts } from "./own-server.ts";
import { useKeyboardGuard } from "./use-keyboard-guard.ts";

/** The chat that an App can talk to. */
export interface AppChat {
  readonly send: (text: string) => Promise<unknown>;
  /** Sets what the model learns from this App with the next message. */
  readonly setContext: (text: string) => void;
}

interface AppBridgeOptions extends AppProps {
  readonly app: LoadedApp;
  readonly sandboxOrigin: string;
  readonly onClosed: () => void;
}

export interface RunningBridge {
  readonly frame: RefObject<HTMLIFrameElement | null>;
  readonly src: string;
  readonly height: number;
  readonly mode: DisplayMode;
  readonly setMode: (mode: DisplayMode) => void;
  /** The tools that the App calls now. */
  readonly calls: readonly string[];
  /** The request that waits for the user. */
  readonly request: AppRequest | undefined;
  readonly answer: (accepted: boolean) => void;
  /** True if the App has not answered for some time since its frame was opened. */
  readonly late: boolean;
  /** Why the App was stopped. */
  readonly stopped: string | undefined;
  readonly logs: readonly string[];
  readonly close: () => void;
}

const LEFT_REASON = "it has left its page";
const MAX_LOGS = 200;
const TEARDOWN_MS = 500;
const LATE_MS = 10_000;

export function useAppBridge(options: AppBridgeOptions): RunningBridge {
  const { app, sandboxOrigin, tool, args, result, onClosed } = options;
  const frame = useRef<HTMLIFrameElement>(null);
  const bridge = useRef<AppBridge>(undefined);
  const [height, setHeight] = useState(FIRST_HEIGHT);
  const [mode, setMode] = useState<DisplayMode>("inline");
  const [calls, setCalls] = useState<readonly string[]>([]);
  const [request, setRequest] = useState<AppRequest>();
  const [late, setLate] = useState(false);
  const [stopped, setStopped] = useState<string>();
  const [logs, setLogs] = useState<readonly string[]>([]);
  // The App lives as long as its frame, so it reads the latest values when it needs them.
  const latest = useRef({ ...options, mode });
  latest.current = { ...options, mode };
  /** Answers the request that waits for the user. Set at once, because an App can send two requests before the page is drawn. */
  const answerWaiting = useRef<(accepted: boolean) => void>(undefined);
  const answer = useCallback((accepted: boolean) => {
    answerWaiting.current?.(accepted);
    answerWaiting.current = undefined;
    setRequest(undefined);
  }, []);
  const ended = useRef<AbortController>(undefined);
  const stop = useCallback(
    (reason: string) => {
      bridge.current?.stop();
      ended.current?.abort();
      answer(false);
      setStopped(reason);
    },
    [answer],
  );

  const close = () => {
    const deadline = new Promise<void>((resolve) => setTimeout(resolve, TEARDOWN_MS));
    void (bridge.current?.teardown(deadline) ?? Promise.resolve()).then(onClosed);
  };

  useEffect(() => {
    const frameWindow = frame.current!.contentWindow!;
    const post = (message: JsonObject) => frameWindow.postMessage(message, sandboxOrigin);
    const ask = async (wanted: AppRequest) => {
      if (answerWaiting.current) throw new AppError(REQUEST_FAILED, "Another request waits for the user");
      setRequest(wanted);
      return new Promise<boolean>((resolve) => (answerWaiting.current = resolve));
    };
    ended.current = new AbortController();
    const current = new AppBridge({
      ...ownServerPorts(tool.server, () => latest.current.workspace, setCalls, ended.current.signal),
      post,
      now: () => performance.now(),
      hostInfo: { name: "plugboard", version: PAGE_VERSION },
      hostContext: () => hostContext(tool, latest.current.mode, frame.current?.clientWidth ?? 0),
      sandbox: { csp: toCspDeclaration(app.allowed), permissions: {} },
      inChat: latest.current.chat !== undefined,
      ask,
      carryOut: (agreed) => carryOutRequest(agreed, async (text) => latest.current.chat?.send(text)),
      setModelContext: (text) => latest.current.chat?.setContext(text),
      onHeight: (wanted) => setHeight(limitHeight(wanted)),
      setDisplayMode: (wanted) => {
        const next = wanted === "fullscreen" ? "fullscreen" : "inline";
        setMode(next);
        return next;
      },
      onLog: (level, text) =>
        setLogs((old) => [...old, `${sanitizeLine(level)}: ${sanitizeLine(text)}`].slice(-MAX_LOGS)),
      onClose: () => latest.current.onClosed(),
      onStopped: stop,
    });
    bridge.current = current;
    const lateTimer = setTimeout(() => setLate(!current.initialized), LATE_MS);
    let isShown = false;
    const onMessage = ({ source, origin, data }: MessageEvent<unknown>) => {
      if (source !== frameWindow || origin !== sandboxOrigin) return;
      const method = (data as { readonly method?: unknown } | null)?.method;
      // A sandbox that begins again has lost the App.
      if (method === SANDBOX_LEFT || (method === SANDBOX_READY && isShown)) return stop(LEFT_REASON);
      if (method !== SANDBOX_READY) return current.receive(data);
      isShown = true;
      post(notificationMessage(SANDBOX_RESOURCE, { html: app.html }));
    };
    window.addEventListener("message", onMessage);
    current.toolInput(args);
    current.toolResult(result);
    const stopFollowing = onThemeChanged(() => current.contextChanged(themeContext()));
    return () => {
      clearTimeout(lateTimer);
      window.removeEventListener("message", onMessage);
      stopFollowing();
      answerWaiting.current?.(false);
    };
    // Runs once. The App keeps its state when the page reads the list of tools again, and a new result is a new App.
  }, []);

  useEffect(() => bridge.current?.contextChanged({ displayMode: mode }), [mode]);
  useKeyboardGuard(
    frame,
    useCallback(() => stop("it took the keyboard while you typed into the page"), [stop]),
  );

  return {
    frame,
    src: sandboxUrl(sandboxOrigin, app.allowed),
    height,
    mode,
    setMode,
    calls,
    request,
    answer,
    late,
    stopped,
    logs,
    close,
  };
}
