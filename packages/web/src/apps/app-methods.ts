/**
 * The messages that an App can send, and the rule for each. The bridge works from this table, and refuses a message
 * without a row. docs/rights.md shows the same rows.
 */
import { isJsonObject } from "@plugboard/contracts";
import type { ContentBlock, Json, JsonObject, ToolResult } from "@plugboard/contracts";
import { isWebUrl } from "@plugboard/contracts/markdown";
import { AppError, INVALID_PARAMS } from "./app-message.ts";
import type { AppPorts, AppRequest } from "./app-ports.ts";
import { toFiles } from "./files-to-save.ts";

/**
 * - `allowed`: without a question.
 * - `asks`: the user agrees each time, in a dialog of the page.
 * - `policy`: the rules for calls of the user apply. The host asks the user if no rule decides.
 * - `denied`: never, although the protocol has the method.
 */
type AppRule = "allowed" | "asks" | "policy" | "denied";

interface Row {
  readonly rule: AppRule;
  /** Where the App may send it. A chat is needed for messages to its model. */
  readonly where: "everywhere" | "chat";
  /** Describes the message in the docs: "The App may …". */
  readonly what: string;
}

type AppMethod = Row &
  (
    | {
        readonly rule: "allowed" | "policy";
        readonly perform: (ports: AppPorts, params: JsonObject) => Promise<JsonObject>;
      }
    | { readonly rule: "asks"; readonly toRequest: (params: JsonObject) => AppRequest }
    | { readonly rule: "denied" }
  );

/** The requests of an App. */
export const APP_METHODS: { readonly [method: string]: AppMethod } = {
  "ui/initialize": {
    rule: "allowed",
    where: "everywhere",
    what: "learn the colours, language and size of the page, and the definition of its tool",
    perform: async (ports) => initialize(ports),
  },
  ping: {
    rule: "allowed",
    where: "everywhere",
    what: "check that the page answers",
    perform: async () => ({}),
  },
  "tools/call": {
    rule: "policy",
    where: "everywhere",
    what: "call a tool of its own server, unless the server keeps the tool from Apps",
    perform: async (ports, params) => {
      const args = params["arguments"];
      return toJsonObject(await ports.callTool(text(params, "name"), isJsonObject(args) ? args : {}));
    },
  },
  "resources/read": {
    rule: "allowed",
    where: "everywhere",
    what: "read a resource of its own server",
    perform: async (ports, params) => ({ contents: [...(await ports.readResource(text(params, "uri")))] }),
  },
  "resources/list": {
    rule: "allowed",
    where: "everywhere",
    what: "list the resources of its own server",
    perform: async (ports) => ({ resources: [...(await ports.listResources())] }),
  },
  "ui/open-link": {
    rule: "asks",
    where: "everywhere",
    what: "open a web page in a new tab",
    toRequest: (params) => {
      const url = text(params, "url");
      if (!isWebUrl(url)) throw new AppError(INVALID_PARAMS, "Only http and https links can be opened");
      // The URL that the browser would open: with the host name in ASCII, and without characters that it drops.
      return { type: "link", url: new URL(url).href };
    },
  },
  "ui/download-file": {
    rule: "asks",
    where: "everywhere",
    what: "save files",
    toRequest: (params) => {
      const files = toFiles(blocks(params["contents"]));
      if (files.length === 0) throw new AppError(INVALID_PARAMS, "There is no embedded content to save");
      return { type: "download", files };
    },
  },
  "ui/message": {
    rule: "asks",
    where: "chat",
    what: "send a message to the model, as the user's",
    toRequest: (params) => ({ type: "message", text: textOf(blocks(params["content"])) }),
  },
  "ui/update-model-context": {
    rule: "allowed",
    where: "chat",
    what: "add an untrusted text to the user's next message, which the chat shows before it is sent",
    perform: async (ports, params) => {
      ports.setModelContext(contextText(params));
      return {};
    },
  },
  "ui/request-display-mode": {
    rule: "allowed",
    where: "everywhere",
    what: "fill the window below a bar of the page, or return from there",
    perform: async (ports, params) => ({ mode: ports.setDisplayMode(text(params, "mode")) }),
  },
  "sampling/createMessage": { rule: "denied", where: "everywhere", what: "use a model" },
  "tools/list": { rule: "denied", where: "everywhere", what: "list tools" },
  "resources/templates/list": { rule: "denied", where: "everywhere", what: "list templates of resources" },
  "prompts/list": { rule: "denied", where: "everywhere", what: "list prompts" },
};

interface AppNotification {
  /** Describes the message in the docs: "The App may …". */
  readonly what: string;
  readonly handle: (ports: NotificationPorts, params: JsonObject) => void;
}

interface NotificationPorts extends AppPorts {
  /** The App is ready for messages. */
  readonly onInitialized: () => void;
}

/** The notifications of an App. All are allowed. */
export const APP_NOTIFICATIONS: { readonly [method: string]: AppNotification } = {
  "ui/notifications/initialized": {
    what: "get the arguments and the result of the call",
    handle: ({ onInitialized }) => onInitialized(),
  },
  "ui/notifications/size-changed": {
    what: "set the height of its frame, within limits",
    handle: ({ onHeight }, { height }) => {
      if (typeof height === "number" && Number.isFinite(height)) onHeight(height);
    },
  },
  "ui/notifications/request-teardown": {
    what: "close itself",
    handle: ({ onClose }) => onClose(),
  },
  "notifications/message": {
    what: "log a text, which the page shows below the frame",
    handle: ({ onLog }, { level, data }) =>
      onLog(typeof level === "string" ? level.slice(0, MAX_LOG_LEVEL_CHARS) : "info", logText(data)),
  },
};

const APPS_PROTOCOL = "2026-01-26";
const MAX_LOG_CHARS = 2000;
const MAX_LOG_LEVEL_CHARS = 20;

function initialize({ hostInfo, hostContext, sandbox, inChat }: AppPorts): JsonObject {
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
      ...(inChat && { message: { text: {} }, updateModelContext: { text: {}, structuredContent: {} } }),
    },
    hostContext: hostContext(),
  };
}

/** The page keeps many of these texts, so each is cut. */
function logText(data: Json | undefined): string {
  const text = typeof data === "string" ? data : JSON.stringify(data ?? null);
  return text.length > MAX_LOG_CHARS ? `${text.slice(0, MAX_LOG_CHARS)}…` : text;
}

export function toJsonObject(result: ToolResult): JsonObject {
  return { ...result, content: [...result.content] };
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
