/**
 * The host's side of the protocol between an App and its host (MCP Apps, 2026-01-26). Answers the requests of the App,
 * each through a port, and tells it the arguments and the result of its tool. Knows neither frames nor React.
 */
import { isHostError, isJsonObject } from "@plugboard/contracts";
import type { ContentBlock, Json, JsonObject, ResourceContents, ToolResult } from "@plugboard/contracts";
import {
  AppError,
  errorMessage,
  INVALID_PARAMS,
  MAX_CHARS,
  measureMessage,
  METHOD_NOT_FOUND,
  notificationMessage,
  parseAppMessage,
  REQUEST_FAILED,
  resultMessage,
} from "./app-message.ts";

const APPS_PROTOCOL = "2026-01-26";

export type DisplayMode = "inline" | "fullscreen";

/** What the App can ask for. A port may reject with the error that the App gets. */
export interface AppPorts {
  readonly post: (message: JsonObject) => void;
  /** The current time in milliseconds. */
  readonly now: () => number;
  readonly hostInfo: JsonObject;
  readonly hostContext: () => JsonObject;
  /** The settings of the sandbox: the origins that the App may use. */
  readonly sandbox: JsonObject;
  /** Calls a tool of the App's own server, by the permissions of the user. */
  readonly callTool: (name: string, args: JsonObject) => Promise<ToolResult>;
  /** Reads a resource of the App's own server. */
  readonly readResource: (uri: string) => Promise<readonly ResourceContents[]>;
  /** Lists the resources of the App's own server. */
  readonly listResources: () => Promise<readonly JsonObject[]>;
  /** Asks the user. Resolves to false if the user refuses. */
  readonly openLink: (url: string) => Promise<boolean>;
  /** Asks the user. Resolves to false if the user refuses. */
  readonly download: (contents: readonly ContentBlock[]) => Promise<boolean>;
  /** Asks the user to send a message to the model. Absent where there is no chat. */
  readonly sendMessage?: ((text: string) => Promise<boolean>) | undefined;
  /** Sets a text that goes to the model with the user's next message. Absent where there is no chat. */
  readonly setModelContext?: ((text: string) => void) | undefined;
  readonly onHeight: (height: number) => void;
  /** Returns the resulting mode. */
  readonly setDisplayMode: (mode: string) => DisplayMode;
  readonly onLog: (level: string, text: string) => void;
  /** The App asks to be closed. */
  readonly onClose: () => void;
  /** The App breaks a limit. It gets no more answers. */
  readonly onStopped: (reason: string) => void;
}

const MAX_OPEN_REQUESTS = 16;
/** An App that sends messages faster than this for long is stopped, because it would stop the page. */
const MESSAGES_PER_SECOND = 100;
const MAX_BURST = 500;
const MAX_CHARS_PER_SECOND = 2 * MAX_CHARS;
const MAX_LOG_CHARS = 2000;
const MAX_LOG_LEVEL_CHARS = 20;

export class AppBridge {
  readonly #ports: AppPorts;
  /** Messages for the App that wait until it is initialized. Undefined from then on. */
  #waiting: JsonObject[] | undefined = [];
  #openRequests = 0;
  /** The messages above the allowed rate. They decrease with time, so that a slow machine counts in the same way. */
  #excess = 0;
  #countedAt = 0;
  #second = 0;
  #chars = 0;
  #stopped = false;
  #teardown: { readonly id: string; readonly done: () => void } | undefined;

  constructor(ports: AppPorts) {
    this.#ports = ports;
  }

  /** True once the App has said that it is ready. */
  get initialized(): boolean {
    return this.#waiting === undefined;
  }

  /** Handles a value that the App has posted. Ignores everything that is not a message. */
  receive(data: unknown): void {
    if (this.#stopped || !this.#count(measureMessage(data))) return;
    const message = parseAppMessage(data);
    if (message?.type === "request") void this.#answer(message.id, message.method, message.params);
    else if (message?.type === "notification") this.#onNotification(message.method, message.params);
    else if (message?.id === this.#teardown?.id) this.#teardown?.done();
  }

  toolInput(args: JsonObject): void {
    this.#notify("ui/notifications/tool-input", { arguments: args });
  }

  toolResult(result: ToolResult): void {
    this.#notify("ui/notifications/tool-result", toJsonObject(result));
  }

  contextChanged(changed: JsonObject): void {
    this.#notify("ui/notifications/host-context-changed", changed);
  }

  /** Lets the App finish. Resolves when the App has finished or `deadline` resolves. */
  async teardown(deadline: Promise<void>): Promise<void> {
    if (this.#waiting || this.#stopped) return;
    const id = "teardown";
    const finished = new Promise<void>((resolve) => (this.#teardown = { id, done: resolve }));
    this.#ports.post({ jsonrpc: "2.0", id, method: "ui/resource-teardown", params: {} });
    await Promise.race([finished, deadline]);
    this.#stopped = true;
  }

  #notify(method: string, params: JsonObject): void {
    const message = notificationMessage(method, params);
    if (this.#waiting) this.#waiting.push(message);
    else if (!this.#stopped) this.#ports.post(message);
  }

  /** Returns false for a message that is too large, and if the App has sent too much. */
  #count(chars: number | undefined): boolean {
    const now = this.#ports.now();
    this.#excess = Math.max(0, this.#excess - ((now - this.#countedAt) * MESSAGES_PER_SECOND) / 1000) + 1;
    this.#countedAt = now;
    const second = Math.floor(now / 1000);
    if (second !== this.#second) [this.#second, this.#chars] = [second, 0];
    this.#chars += chars ?? MAX_CHARS;
    if (this.#chars > MAX_CHARS_PER_SECOND) return this.#stop("it sent more than 8 MB in a second");
    if (this.#excess > MAX_BURST) return this.#stop("it sent too many messages");
    return chars !== undefined;
  }

  #stop(reason: string): false {
    this.#stopped = true;
    this.#ports.onStopped(reason);
    return false;
  }

  async #answer(id: string | number, method: string, params: JsonObject): Promise<void> {
    const { post } = this.#ports;
    if (this.#openRequests >= MAX_OPEN_REQUESTS) {
      return post(errorMessage(id, new AppError(REQUEST_FAILED, "Too many open requests")));
    }
    this.#openRequests++;
    try {
      post(resultMessage(id, await this.#perform(method, params)));
    } catch (thrown) {
      post(errorMessage(id, toAppError(thrown)));
    } finally {
      this.#openRequests--;
    }
  }

  async #perform(method: string, params: JsonObject): Promise<JsonObject> {
    const ports = this.#ports;
    switch (method) {
      case "ui/initialize":
        return this.#initialize();
      case "ping":
        return {};
      case "tools/call": {
        const args = params["arguments"];
        return toJsonObject(await ports.callTool(text(params, "name"), isJsonObject(args) ? args : {}));
      }
      case "resources/read":
        return { contents: [...(await ports.readResource(text(params, "uri")))] };
      case "resources/list":
        return { resources: [...(await ports.listResources())] };
      case "ui/open-link":
        return toConsentResult(await ports.openLink(text(params, "url")));
      case "ui/download-file":
        return toConsentResult(await ports.download(blocks(params["contents"])));
      case "ui/request-display-mode":
        return { mode: ports.setDisplayMode(text(params, "mode")) };
      case "ui/message":
        if (!ports.sendMessage) break;
        return toConsentResult(await ports.sendMessage(textOf(blocks(params["content"]))));
      case "ui/update-model-context":
        if (!ports.setModelContext) break;
        ports.setModelContext(contextText(params));
        return {};
    }
    throw new AppError(METHOD_NOT_FOUND, `${method} is not supported here`);
  }

  #initialize(): JsonObject {
    const { hostInfo, hostContext, sandbox, sendMessage, setModelContext } = this.#ports;
    return {
      protocolVersion: APPS_PROTOCOL,
      hostInfo,
      hostCapabilities: {
        openLinks: {},
        downloadFile: {},
        serverTools: {},
        serverResources: {},
        logging: {},
        sandbox,
        ...(sendMessage && { message: { text: {} } }),
        ...(setModelContext && { updateModelContext: { text: {}, structuredContent: {} } }),
      },
      hostContext: hostContext(),
    };
  }

  #onNotification(method: string, params: JsonObject): void {
    const { onHeight, onLog, onClose, post } = this.#ports;
    switch (method) {
      case "ui/notifications/initialized": {
        const waiting = this.#waiting ?? [];
        this.#waiting = undefined;
        for (const message of waiting) post(message);
        return;
      }
      case "ui/notifications/size-changed": {
        const { height } = params;
        if (typeof height === "number" && Number.isFinite(height)) onHeight(height);
        return;
      }
      case "ui/notifications/request-teardown":
        return onClose();
      case "notifications/message": {
        const { level, data } = params;
        return onLog(typeof level === "string" ? level.slice(0, MAX_LOG_LEVEL_CHARS) : "info", logText(data));
      }
    }
  }
}

/** The page keeps many of these texts, so each is cut. */
function logText(data: Json | undefined): string {
  const text = typeof data === "string" ? data : JSON.stringify(data ?? null);
  return text.length > MAX_LOG_CHARS ? `${text.slice(0, MAX_LOG_CHARS)}…` : text;
}

function toJsonObject(result: ToolResult): JsonObject {
  return { ...result, content: [...result.content] };
}

function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  if (isHostError(thrown)) return new AppError(REQUEST_FAILED, thrown.message, { code: thrown.code });
  return new AppError(REQUEST_FAILED, thrown instanceof Error ? thrown.message : String(thrown));
}

function toConsentResult(accepted: boolean): JsonObject {
  return accepted ? {} : { isError: true };
}

function text(params: JsonObject, key: string): string {
  const value = params[key];
  if (typeof value !== "string") throw new AppError(INVALID_PARAMS, `"${key}" must be a string`);
  return value;
}

function blocks(value: Json | undefined): readonly ContentBlock[] {
  if (!Array.isArray(value)) throw new AppError(INVALID_PARAMS, "A list of content blocks is missing");
  return value.filter((block) => isJsonObject(block) && typeof block["type"] === "string") as ContentBlock[];
}

function textOf(content: readonly ContentBlock[]): string {
  return content.flatMap((block) => (typeof block["text"] === "string" ? block["text"] : [])).join("\n");
}

function contextText({ content, structuredContent }: JsonObject): string {
  const parts = content === undefined ? [] : [textOf(blocks(content))];
  if (structuredContent !== undefined) parts.push(JSON.stringify(structuredContent));
  return parts.join("\n");
}
