/** Runs an App in the frame of a component. */
import { useCallback, useEffect, useRef, useState } from "react";
import type { RefObject } from "react";
import { PAGE_VERSION } from "../format/page-version.ts";
import type { RunningFrameProps } from "./app-frame.tsx";
import type { DisplayMode } from "./app-ports.ts";
import { hostContext } from "./host-context.ts";
import { sandboxUrl } from "./load-app.ts";
import { FIRST_STATE, RunningApp } from "./running-app.ts";
import type { AppState } from "./running-app.ts";
import { useKeyboardGuard } from "./use-keyboard-guard.ts";

export interface AppView extends AppState {
  readonly frame: RefObject<HTMLIFrameElement | null>;
  readonly src: string;
  readonly setMode: (mode: DisplayMode) => void;
  readonly answer: (accepted: boolean) => void;
  readonly close: () => void;
}

export function useAppBridge(props: RunningFrameProps): AppView {
  const { app, sandboxOrigin, tool, args, result } = props;
  const frame = useRef<HTMLIFrameElement>(null);
  const running = useRef<RunningApp>(undefined);
  const [state, setState] = useState(FIRST_STATE);
  const latest = useRef(props);
  latest.current = props;

  useEffect(() => {
    const current = new RunningApp({
      frameWindow: frame.current!.contentWindow!,
      sandboxOrigin,
      version: PAGE_VERSION,
      app,
      server: tool.server,
      args,
      result,
      workspace: () => latest.current.workspace,
      chat: () => latest.current.chat,
      context: (mode) => hostContext(tool, mode, frame.current?.clientWidth ?? 0),
      setState,
      onClosed: () => latest.current.onClosed(),
    });
    running.current = current;
    return () => current.dispose();
    // Runs once, so that the App keeps its state when the page reads the list of tools again. A new result gets a new
    // App.
  }, []);

  useKeyboardGuard(
    frame,
    useCallback(() => running.current?.stop("it took the keyboard while you typed into the page"), []),
  );

  return {
    ...state,
    frame,
    src: sandboxUrl(sandboxOrigin, app.allowed),
    setMode: (mode) => running.current?.setMode(mode),
    answer: (accepted) => running.current?.answer(accepted),
    close: () => void running.current?.close(),
  };
}
