/**
 * An App that runs in a frame: connects the window of the sandbox with the bridge, asks the user, and keeps the state
 * that the page shows. Knows no React.
 */
import { sanitizeLine } from "@plugboard/contracts";
import type { JsonObject, ToolResult, Workspace } from "@plugboard/contracts";
import { SANDBOX_LEFT, SANDBOX_READY, SANDBOX_RESOURCE } from "../sandbox/sandbox-messages.ts";
import { AppBridge } from "./app-bridge.ts";
import { AppError, notificationMessage, REQUEST_FAILED } from "./app-message.ts";
import type { AppRequest, DisplayMode } from "./app-ports.ts";
import { carryOutRequest } from "./carry-out-request.ts";
import { FIRST_HEIGHT, limitHeight, onThemeChanged, themeContext } from "./host-context.ts";
import { toCspDeclaration } from "./load-app.ts";
import type { LoadedApp } from "./load-app.ts";
import { ownServerPorts } from "./own-server.ts";

/** The chat that an App can talk to. */
export interface AppChat {
  readonly send: (text: string) => Promise<unknown>;
  /** Sets what the model learns from this App with the next message. */
  readonly setContext: (text: string) => void;
}

export interface AppState {
  readonly height: number;
  readonly mode: DisplayMode;
  /** The ids of the calls that the App makes now. */
  readonly calls: readonly string[];
  /** The request that waits for the user. */
  readonly request: AppRequest | undefined;
  /** True if the App has not started some time after its frame was opened. */
  readonly late: boolean;
  /** Why the App was stopped. */
  readonly stopped: string | undefined;
  readonly logs: readonly string[];
}

export const FIRST_STATE: AppState = {
  height: FIRST_HEIGHT,
  mode: "inline",
  calls: [],
  request: undefined,
  late: false,
  stopped: undefined,
  logs: [],
};

/** The page as the App needs it. Values that may change while the App runs are functions. */
export interface AppHost {
  readonly frameWindow: Pick<Window, "postMessage">;
  readonly sandboxOrigin: string;
  /** The version of the page. */
  readonly version: string;
  readonly app: LoadedApp;
  readonly server: string;
  readonly args: JsonObject;
  readonly result: ToolResult;
  readonly workspace: () => Workspace;
  readonly chat: () => AppChat | undefined;
  readonly context: (mode: DisplayMode) => JsonObject;
  readonly setState: (state: AppState) => void;
  readonly onClosed: () => void;
}

const MAX_LOGS = 200;
const TEARDOWN_MS = 500;
const LATE_MS = 10_000;

export class RunningApp {
  readonly #host: AppHost;
  readonly #bridge: AppBridge;
  readonly #stopped = new AbortController();
  readonly #lateTimer: ReturnType<typeof setTimeout>;
  readonly #stopFollowing: () => void;
  #state = FIRST_STATE;
  #isShown = false;
  #answerWaiting: ((accepted: boolean) => void) | undefined;

  constructor(host: AppHost) {
    this.#host = host;
    this.#bridge = new AppBridge({
      ...ownServerPorts(host.server, host.workspace, (change) => this.#setCalls(change), this.#stopped.signal),
      post: (message) => this.#post(message),
      now: () => performance.now(),
      hostInfo: { name: "plugboard", version: host.version },
      hostContext: () => host.context(this.#state.mode),
      sandbox: { csp: toCspDeclaration(host.app.allowed), permissions: {} },
      inChat: host.chat() !== undefined,
      ask: (request) => this.#ask(request),
      carryOut: (request) => carryOutRequest(request, async (text) => host.chat()?.send(text)),
      setModelContext: (text) => host.chat()?.setContext(text),
      onHeight: (height) => this.#change({ height: limitHeight(height) }),
      setDisplayMode: (wanted) => this.setMode(wanted === "fullscreen" ? "fullscreen" : "inline"),
      onLog: (level, text) => {
        const logs = [...this.#state.logs, `${sanitizeLine(level)}: ${sanitizeLine(text)}`];
        this.#change({ logs: logs.slice(-MAX_LOGS) });
      },
      onClose: host.onClosed,
      onStopped: (reason) => this.stop(reason),
    });
    this.#lateTimer = setTimeout(() => this.#change({ late: !this.#bridge.initialized }), LATE_MS);
    this.#stopFollowing = onThemeChanged(() => this.#bridge.contextChanged(themeContext()));
    this.#bridge.toolInput(host.args);
    this.#bridge.toolResult(host.result);
    window.addEventListener("message", this.#onMessage);
  }

  /** Answers the request that waits for the user. */
  answer(accepted: boolean): void {
    this.#answerWaiting?.(accepted);
    this.#answerWaiting = undefined;
    this.#change({ request: undefined });
  }

  setMode(mode: DisplayMode): DisplayMode {
    this.#change({ mode });
    this.#bridge.contextChanged({ displayMode: mode });
    return mode;
  }

  /** Stops an App that broke a rule. Cancels its calls and its request to the user. */
  stop(reason: string): void {
    this.#bridge.stop();
    this.#stopped.abort();
    this.answer(false);
    this.#change({ stopped: reason });
  }

  /** Lets the App finish, then closes it. */
  async close(): Promise<void> {
    await this.#bridge.teardown(new Promise((resolve) => setTimeout(resolve, TEARDOWN_MS)));
    this.#host.onClosed();
  }

  /** Called when the frame is gone. */
  dispose(): void {
    clearTimeout(this.#lateTimer);
    window.removeEventListener("message", this.#onMessage);
    this.#stopFollowing();
    this.#answerWaiting?.(false);
  }

  readonly #onMessage = ({ source, origin, data }: MessageEvent<unknown>): void => {
    const { frameWindow, sandboxOrigin, app } = this.#host;
    if (source !== frameWindow || origin !== sandboxOrigin) return;
    const method = (data as { readonly method?: unknown } | null)?.method;
    // A sandbox that begins again has lost the App.
    if (method === SANDBOX_LEFT || (method === SANDBOX_READY && this.#isShown))
      return this.stop("it has left its page");
    if (method !== SANDBOX_READY) return this.#bridge.receive(data);
    this.#isShown = true;
    this.#post(notificationMessage(SANDBOX_RESOURCE, { html: app.html }));
  };

  #post(message: JsonObject): void {
    this.#host.frameWindow.postMessage(message, this.#host.sandboxOrigin);
  }

  async #ask(request: AppRequest): Promise<boolean> {
    if (this.#answerWaiting) throw new AppError(REQUEST_FAILED, "Another request waits for the user");
    const answered = new Promise<boolean>((resolve) => (this.#answerWaiting = resolve));
    this.#change({ request });
    return answered;
  }

  #setCalls(change: (old: readonly string[]) => readonly string[]): void {
    this.#change({ calls: change(this.#state.calls) });
  }

  #change(change: Partial<AppState>): void {
    this.#state = { ...this.#state, ...change };
    this.#host.setState(this.#state);
  }
}
