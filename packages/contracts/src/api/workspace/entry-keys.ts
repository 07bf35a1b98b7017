/**
 * The keys of a server's entry. Validation, the JSON Schema, the defaults, the hash of a definition, the flags of
 * `plugboard add`, the fields of the page and the tables of `docs/config.md` are made from these rows. A new key needs
 * its row here, and the code that it changes.
 */
import { ERAS } from "./server-status.ts";
import type { CamelCase, EntryRow, ValueOf } from "./entry-row.ts";

/** In the order in which an entry is written. */
export const ENTRY_KEYS = {
  transport: {
    type: "transport",
    defaultText: "`stdio` if there is a `command`, `http` if there is a `url` (`websocket` if that begins with `ws`)",
    hashed: true,
    change: "restart",
    description: "The transport. Derived from command or url by default.",
    details: "`stdio`, `http`, `sse`, `websocket`, `claudeai-proxy` or `sdk`.",
    aliases: { type: "same" },
  },
  enabled: {
    type: "boolean",
    default: true,
    hashed: false,
    change: "restart",
    description:
      "Whether the server is used. An entry with only this key switches the server of a lower layer on or off.",
    aliases: { disabled: "opposite" },
    flag: { label: "true|false", about: "whether the server is used, by default true" },
  },
  command: {
    type: "filled_text",
    for: "stdio",
    required: true,
    hashed: true,
    change: "restart",
    description: "The program to run, without a shell.",
  },
  args: {
    type: "values",
    for: "stdio",
    default: [],
    hashed: true,
    change: "restart",
    description: "The arguments of the program.",
  },
  cwd: {
    type: "text",
    for: "stdio",
    defaultText: "see [below](#where-a-server-runs)",
    hashed: true,
    change: "restart",
    description: "The working folder of the program.",
    flag: { label: "folder", about: "the folder in which the command runs" },
  },
  env: {
    type: "value_map",
    for: "stdio",
    default: {},
    hashed: true,
    change: "restart",
    description: "Environment variables of the program, in addition to a few such as PATH and HOME.",
    details: "It also gets `PLUGBOARD_INSTANCE` and `PLUGBOARD_PROCESS`, but nothing else of your environment.",
    aliases: { environment: "same" },
  },
  sandbox: {
    type: "sandbox",
    for: "stdio",
    defaultText: "`false`; in a project [`sandbox_default`](#sandbox), if you have set it",
    hashed: true,
    change: "restart",
    description:
      "Runs the program in a sandbox: true, a preset (read-only, offline, project), or the files and hosts that it may use. False: without one.",
    details: "See [Sandbox](#sandbox).",
    flag: { label: "preset", about: "run the command in a sandbox; read-only, offline and project are presets" },
    field: { label: "Sandbox", hint: "Which files and hosts the command may use. Lists of them are in the JSON." },
  },
  url: {
    type: "text",
    for: "url",
    required: true,
    hashed: true,
    change: "restart",
    description: "The URL of the server.",
    details:
      "`http://…` or `https://…`; for `websocket` `ws://…` or `wss://…`. A user name and password in the URL are sent as Basic authentication.",
    aliases: { server_url: "same", http_url: "same" },
  },
  headers: {
    type: "value_map",
    for: "url",
    default: {},
    hashed: true,
    change: "restart",
    description: "Headers of every request.",
    aliases: { http_headers: "same" },
  },
  id: {
    type: "filled_text",
    for: "proxy",
    required: true,
    hashed: true,
    change: "restart",
    description: "The id of the server behind the proxy at url.",
    details: "It replaces `{id}` in the `url`, or is appended to it.",
  },
  name: {
    type: "name",
    for: "sdk",
    required: true,
    hashed: true,
    change: "restart",
    description: "The name of a server that the embedding program runs in its own process.",
  },
  auth: {
    type: "auth",
    for: "url",
    defaultText: '`{ "type": "none" }`',
    hashed: true,
    change: "restart",
    description: "How to log in.",
    details: "See [Logins](#logins).",
    aliases: { oauth: { implies: { type: "oauth" } } },
  },
  account: {
    type: "account",
    for: "url",
    hashed: true,
    change: "restart",
    description: "The name of the account, if you use several at one URL.",
    details: "1 to 128 letters, digits or `. _ @ + -`.",
  },
  login: {
    type: "word",
    words: ["shared", "each"],
    for: "url",
    defaultText: "`shared`; `each` for clients with a token of an [external issuer](#gateway)",
    hashed: true,
    change: "restart",
    description:
      "Whether all clients of the gateway use your login (shared), or each logs in itself (each). By default only clients with a token of an external issuer log in themselves.",
    details:
      'With `each`, each token and each subject logs in itself, in its own client ([how](login.md#clients-that-log-in-themselves)), and has a connection of its own. Commands, the page, chats and clients of `plugboard stdio` always use your login. Without effect on credentials in the definition, such as a key. Example: `"notion": { "url": "https://mcp.notion.com/mcp", "login": "each" }`, with a token of `plugboard token create ann` for the client of Ann.',
  },
  startup_timeout_ms: {
    type: "duration",
    default: 30_000,
    hashed: false,
    change: "live",
    combine: { by: "longest" },
    description: "The timeout for starting the server and listing its tools.",
    details:
      "It counts from the start of the server's process. About four servers per core start at the same time; the others wait. A change applies to the next start.",
    aliases: { startup_timeout_sec: "seconds" },
    field: { label: "Startup timeout (ms)", hint: "How long it may take to start and to connect." },
  },
  request_timeout_ms: {
    type: "duration",
    default: 60_000,
    hashed: false,
    change: "live",
    combine: { by: "longest" },
    description: "The longest silence during a call. Progress restarts the time.",
    // The unit of `timeout` depends on the file, see `timeout-unit.ts` in packages/config.
    aliases: { timeout: "same", tool_timeout_ms: "same", tool_timeout_sec: "seconds", request_timeout_sec: "seconds" },
    flag: { label: "ms", about: "the longest time without progress during a call" },
  },
  max_timeout_ms: {
    type: "duration",
    default: 600_000,
    hashed: false,
    change: "live",
    description: "The longest total time of a call.",
    aliases: { max_timeout_sec: "seconds" },
  },
  health_interval_ms: {
    type: "duration_or_never",
    defaultText: "30000 for stdio servers and legacy servers at a URL, otherwise 0",
    hashed: false,
    change: "live",
    combine: { by: "longest" },
    description: "The interval of health checks; 0 means never.",
    details:
      "A check is skipped if the server sent anything since the last one, or if a call is open. Over stdio, a cancelled call is open until the server answers it or its timeout passes. After two failed checks in a row, the tools are hidden and the server is reconnected; a process is killed first.",
  },
  start: {
    type: "word",
    words: ["eager", "lazy"],
    default: "eager",
    hashed: false,
    change: "live",
    combine: { wins: "eager" },
    description:
      "When the server starts: with the workspace (eager), or with the first call once its tools are known (lazy).",
    details: "A lazy server is started once to list its tools; later runs use the stored list.",
  },
  idle_stop_ms: {
    type: "duration_or_never",
    defaultText: "0",
    hashed: false,
    change: "live",
    combine: { by: "longest", absent: 0 },
    description: "Stops the server after this time without a call; 0 means never.",
    details: "The next call starts it again.",
  },
  share: {
    type: "word",
    words: ["all", "caller"],
    default: "all",
    hashed: true,
    change: "restart",
    description: "Whether all clients share one connection and process (all), or each has its own (caller).",
    details:
      "With `caller`, no client waits for another one's question, and none sees what another one left in the server's memory. The process of a client stops after five minutes without a call. At most 8 clients with the same token and 32 clients in all have a connection of their own; another client of a token replaces one that is not in use, or gets the error [`TOO_MANY_CLIENTS`](errors.md#too_many_clients). Whose login a connection has does not depend on `share`, but on `login`.",
  },
  tools: {
    type: "tool_filter",
    default: { include: ["*"], exclude: [] },
    defaultText: "all",
    hashed: true,
    change: "live",
    description: "The tools that are used.",
    details:
      "`include` and `exclude` are lists of tool names, with `*` for any characters. A tool is used if it matches `include` and does not match `exclude`.",
    aliases: {
      include_tools: { member: "include" },
      enabled_tools: { member: "include" },
      exclude_tools: { member: "exclude" },
      excluded_tools: { member: "exclude" },
      disabled_tools: { member: "exclude" },
    },
  },
  retry: {
    type: "word",
    words: ["safe", "never"],
    defaultText: "`safe`",
    hashed: false,
    change: "live",
    combine: { wins: "never" },
    description: "Which lost requests are sent again: those that only list or read (safe), or none (never).",
    details:
      "Also requests that were temporarily refused. Tool calls are not repeated. The exception, with `trust_annotations`, is a tool that the server annotates as read-only or idempotent.",
  },
  protocol: {
    type: "word",
    words: [...ERAS, "auto"],
    defaultText: "`auto`",
    hashed: true,
    change: "restart",
    description:
      "Which era of the protocol is spoken: sessions with a handshake (legacy, up to 2025-11-25), requests that stand alone (modern, 2026-07-28), or what the server speaks (auto).",
    details:
      "With `auto`, Plugboard detects and remembers the era, and prefers `modern` if the server has both. If such a server then answers that it can't ask in this era, Plugboard remembers `legacy` and reconnects, so that the next call can ask. With `legacy` or `modern`, a server that does not speak it fails with [`WRONG_PROTOCOL`](errors.md#wrong_protocol).",
  },
  trust_annotations: {
    type: "boolean",
    default: false,
    hashed: true,
    change: "live",
    description: "Whether to trust the annotations of its tools, such as readOnlyHint. Ignored in a project.",
    details: "Plugboard then does not ask about calls of tools that are annotated as read-only.",
  },
  sampling: {
    type: "boolean",
    default: false,
    hashed: true,
    change: "restart",
    description: "Whether the server may use your model (sampling).",
    details:
      "Plugboard asks you about each request. In a [chat](chat.md), that is the model of the chat; a program provides its own (`ports.model`). Clients of the gateway decide for themselves about their own models.",
  },
  strict_results: {
    type: "boolean",
    defaultText: "`false`",
    hashed: true,
    change: "live",
    description:
      "Whether a call fails if its result does not match the output schema of the tool. By default the result loses only its structured content.",
    details:
      "The error is [`UNEXPECTED_RESPONSE`](errors.md#unexpected_response). More about [results that don't match](gateway.md#results-that-dont-match-their-output-schema).",
  },
  roots: {
    type: "roots",
    defaultText: "see [below](#roots)",
    hashed: true,
    change: "restart",
    description:
      "Whether the server gets the workspace's folders as roots, or a list of other folders. By default only servers of a project get them.",
    flag: {
      label: "true|false",
      about: "whether the server gets the project's folder as a root, see docs/config.md",
    },
  },
  max_message_bytes: {
    type: "size",
    defaultText: "16777216",
    hashed: true,
    change: "restart",
    description: "The largest message that is accepted from the server.",
  },
  result_limit_bytes: {
    type: "size",
    default: 100_000,
    hashed: true,
    change: "live",
    description: "The largest part of a result that a model gets.",
  },
} as const satisfies { readonly [key: string]: EntryRow };

export type EntryKeys = typeof ENTRY_KEYS;

export type EntryKey = keyof EntryKeys;

/** A server definition as written in a config file or a program. It is not validated yet. */
export type ServerEntry = {
  readonly [Key in EntryKey]?: ValueOf<EntryKeys[Key]>;
} & {
  /** Alias of `transport` for compatibility with other clients. */
  readonly type?: ValueOf<EntryKeys["transport"]>;
};

/** The keys whose rows match `Row`. */
export type KeysWith<Row> = { [Key in EntryKey]: EntryKeys[Key] extends Row ? Key : never }[EntryKey];

/** The keys whose changes are applied without a restart, spelled as in definitions, such as `maxTimeoutMs`. */
export type LiveKey = CamelCase<KeysWith<{ readonly change: "live" }>>;

/** The rows with their keys. */
export function entryRows(): readonly (readonly [EntryKey, EntryRow])[] {
  return Object.entries(ENTRY_KEYS) as [EntryKey, EntryRow][];
}
