/** Connects the frame of an App with its bridge, and gives the bridge the page's ports. */
import { useCallback, useEffect, useRef, useState } from "react";
import type { RefObject } from "react";
import { APP_SANDBOX_PATH, HostError, sanitizeLine } from "@plugboard/contracts";
import type { AppOrigins, JsonObject } from "@plugboard/contracts";
import { isWebUrl } from "../format/markdown.ts";
import { PAGE_VERSION } from "../page-version.ts";
import { SANDBOX_NAVIGATED, SANDBOX_READY, SANDBOX_RESOURCE } from "../sandbox/sandbox-messages.ts";
import { AppBridge } from "./app-bridge.ts";
import type { AppPorts, DisplayMode } from "./app-bridge.ts";
import type { AppProps } from "./app-frame.tsx";
import { AppError, INVALID_PARAMS, notificationMessage, REQUEST_FAILED } from "./app-message.ts";
import type { AppRequest } from "./app-request.tsx";
import { FIRST_HEIGHT, hostContext, MAX_HEIGHT, MIN_HEIGHT, onThemeChanged, themeContext } from "./host-context.ts";
import type { LoadedApp } from "./load-app.ts";
import { saveFile } from "../components/save-file.ts";
import { toFiles } from "./files-to-save.ts";
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
  const answer = (accepted: boolean) => {
    answerWaiting.current?.(accepted);
    answerWaiting.current = undefined;
    setRequest(undefined);
  };

  const close = () => {
    const deadline = new Promise<void>((resolve) => setTimeout(resolve, TEARDOWN_MS));
    void (bridge.current?.teardown(deadline) ?? Promise.resolve()).then(onClosed);
  };

  useEffect(() => {
    const frameWindow = frame.current!.contentWindow!;
    const post = (message: JsonObject) => frameWindow.postMessage(message, sandboxOrigin);
    const ask = (wanted: AppRequest) => {
      if (answerWaiting.current) throw new AppError(REQUEST_FAILED, "Another request waits for the user");
      setRequest(wanted);
      return new Promise<boolean>((resolve) => (answerWaiting.current = resolve));
    };
    const current = new AppBridge({
      ...serverPorts(() => latest.current, setCalls),
      post,
      now: () => performance.now(),
      hostInfo: { name: "plugboard", version: PAGE_VERSION },
      hostContext: () => hostContext(tool, latest.current.mode, frame.current?.clientWidth ?? 0),
      sandbox: { csp: toCspDeclaration(app.allowed), permissions: {} },
      openLink: async (url) => {
        if (!isWebUrl(url)) throw new AppError(INVALID_PARAMS, "Only http and https links can be opened");
        // Shows what the browser would open: with the host name in ASCII, and without characters that it drops.
        const { href } = new URL(url);
        const accepted = await ask({ type: "link", url: href });
        if (accepted) window.open(href, "_blank", "noopener,noreferrer");
        return accepted;
      },
      download: async (contents) => {
        const files = toFiles(contents);
        if (files.length === 0) throw new AppError(INVALID_PARAMS, "There is no embedded content to save");
        const accepted = await ask({ type: "download", files });
        if (accepted) for (const file of files) saveFile(file);
        return accepted;
      },
      ...chatPorts(() => latest.current.chat, ask),
      onHeight: (wanted) => setHeight(Math.min(MAX_HEIGHT, Math.max(MIN_HEIGHT, Math.ceil(wanted)))),
      setDisplayMode: (wanted) => {
        const next = wanted === "fullscreen" ? "fullscreen" : "inline";
        setMode(next);
        return next;
      },
      onLog: (level, text) =>
        setLogs((old) => [...old, `${sanitizeLine(level)}: ${sanitizeLine(text)}`].slice(-MAX_LOGS)),
      onClose: () => latest.current.onClosed(),
      onStopped: setStopped,
    });
    bridge.current = current;
    const lateTimer = setTimeout(() => setLate(!current.initialized), LATE_MS);
    const onMessage = ({ source, origin, data }: MessageEvent<unknown>) => {
      if (source !== frameWindow || origin !== sandboxOrigin) return;
      const method = (data as { readonly method?: unknown } | null)?.method;
      if (method === SANDBOX_READY) return post(notificationMessage(SANDBOX_RESOURCE, { html: app.html }));
      if (method === SANDBOX_NAVIGATED) return setStopped("it tried to leave its page");
      current.receive(data);
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
    useCallback(() => setStopped("it took the keyboard while you typed into the page"), []),
  );

  return {
    frame,
    src: `${sandboxOrigin}${APP_SANDBOX_PATH}?${toQuery(app.allowed)}`,
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

/** What the App may do at its own server. No other server can be named. */
function serverPorts(
  options: () => AppBridgeOptions,
  setCalls: (change: (old: readonly string[]) => readonly string[]) => void,
): Pick<AppPorts, "callTool" | "readResource" | "listResources"> {
  return {
    callTool: async (name, args) => {
      const { workspace, tool } = options();
      const { server } = tool;
      const called = (await workspace.tools.list()).find((one) => one.server === server && one.tool === name);
      if (!called || called.ui?.forApps === false) throw new HostError("TOOL_NOT_FOUND", { tool: `${server}:${name}` });
      setCalls((old) => [...old, name]);
      try {
        return await workspace.tools.call({ server, tool: name }, args);
      } finally {
        setCalls((old) => old.toSpliced(old.indexOf(name), 1));
      }
    },
    readResource: (uri) => options().workspace.resources.read(options().tool.server, uri),
    listResources: async () => {
      const { server } = options().tool;
      const { resources } = await options().workspace.resources.list({ server });
      return resources.map((resource) => {
        const { server: _, ...own } = resource;
        return own;
      });
    },
  };
}

function chatPorts(
  chat: () => AppChat | undefined,
  ask: (request: AppRequest) => Promise<boolean>,
): Pick<AppPorts, "sendMessage" | "setModelContext"> {
  if (!chat()) return {};
  return {
    sendMessage: async (text) => {
      const accepted = await ask({ type: "message", text });
      if (accepted) await chat()?.send(text);
      return accepted;
    },
    setModelContext: (text) => chat()?.setContext(text),
  };
}

/** The origins as the specification names them. */
function toCspDeclaration({ connect, resources, frames, baseUris }: AppOrigins): JsonObject {
  return {
    connectDomains: [...connect],
    resourceDomains: [...resources],
    frameDomains: [...frames],
    baseUriDomains: [...baseUris],
  };
}

function toQuery(origins: AppOrigins): string {
  const query = new URLSearchParams();
  for (const [use, list] of Object.entries(origins) as [string, readonly string[]][]) {
    for (const origin of list) query.append(use, origin);
  }
  return query.toString();
}
