/** Checks one server's entry and fills in what it leaves out. Loads zod, so it is itself loaded on first use. */
import * as z from "zod/mini";
import type { TransportName } from "@plugboard/contracts";
import type { ServerDefinition } from "./definition.ts";
import { referencesIn, wrongReference } from "./references.ts";
import { wrongUrl } from "./web-url.ts";

/** The longest that a timer can wait; a longer one would fire at once. */
const MAX_MS = 2 ** 31 - 1;

/** A message must hold at least a list; the longest is what a text of Node can hold. */
const MIN_BYTES = 1024;
const MAX_BYTES = 512 * 1024 * 1024 - 1024;

const text = z
  .string()
  .check(
    z.refine((value) => wrongReference(value) === undefined, { error: ({ input }) => wrongReference(input as string) }),
  );
const texts = z.record(z.string(), text);
const duration = z
  .custom<number>((value) => Number.isInteger(value) && value > 0, "must be a whole number above 0")
  .check(z.refine((value) => value <= MAX_MS, `must be at most ${MAX_MS}`));

const durationOrNone = z
  .custom<number>((value) => Number.isInteger(value) && value >= 0, "must be a whole number, 0 for never")
  .check(z.refine((value) => value <= MAX_MS, `must be at most ${MAX_MS}`));
const bytes = z.custom<number>(
  (value) => Number.isInteger(value) && value >= MIN_BYTES && value <= MAX_BYTES,
  `must be a whole number from ${MIN_BYTES} to ${MAX_BYTES}`,
);

const common = {
  enabled: z._default(z.boolean(), true),
  startup_timeout_ms: z._default(duration, 30_000),
  request_timeout_ms: z._default(duration, 60_000),
  max_timeout_ms: z._default(duration, 600_000),
  health_interval_ms: z.optional(durationOrNone),
  idle_stop_ms: z.optional(durationOrNone),
  retry: z.optional(
    z.custom<"safe" | "never">((value) => value === "safe" || value === "never", 'must be "safe" or "never"'),
  ),
  max_message_bytes: z.optional(bytes),
};

const stdioEntry = z.strictObject({
  ...common,
  transport: z.literal("stdio"),
  command: text.check(z.minLength(1, "must not be empty")),
  args: z._default(z.array(text), []),
  cwd: z.optional(text),
  env: z._default(texts, {}),
});

const urlEntry = z.strictObject({
  ...common,
  transport: z.enum(["http", "sse", "websocket"]),
  url: text,
  headers: z._default(texts, {}),
});

const proxyEntry = z.strictObject({
  ...common,
  transport: z.literal("claudeai-proxy"),
  id: text.check(z.minLength(1, "must not be empty")),
  url: text,
  headers: z._default(texts, {}),
});

const ENTRIES: { readonly [T in TransportName]: typeof stdioEntry | typeof urlEntry | typeof proxyEntry } = {
  stdio: stdioEntry,
  http: urlEntry,
  sse: urlEntry,
  websocket: urlEntry,
  "claudeai-proxy": proxyEntry,
};

/** What other clients call them. */
const ALIASES: { readonly [name: string]: TransportName } = {
  "streamable-http": "http",
  streamable_http: "http",
  streamableHttp: "http",
  ws: "websocket",
};

export type Checked = { readonly definition: ServerDefinition } | { readonly wrong: string; readonly key?: string };

/** Keys are expected in Plugboard's own spelling. */
export function checkEntry(entry: { readonly [key: string]: unknown }): Checked {
  const transport = readTransport(entry);
  if (transport === undefined) return { wrong: 'it has neither a "command" nor a "url"' };
  if (!isTransport(transport)) {
    const known = Object.keys(ENTRIES).join(", ");
    return { key: "transport", wrong: `"transport" is ${JSON.stringify(transport)}; it must be one of ${known}` };
  }
  const read = ENTRIES[transport].safeParse({ ...entry, transport });
  if (!read.success) return explain(read.error.issues[0]!, transport, entry);
  const url = "url" in read.data ? read.data.url : undefined;
  // One with references is checked when they are expanded.
  const wrong = url === undefined || referencesIn(url).length > 0 ? undefined : wrongUrl(url, transport);
  if (wrong !== undefined) return { key: "url", wrong };
  const { startup_timeout_ms, request_timeout_ms, max_timeout_ms, ...rest } = read.data;
  const { health_interval_ms, idle_stop_ms, max_message_bytes, ...others } = rest;
  const definition = {
    ...others,
    startupTimeoutMs: startup_timeout_ms,
    requestTimeoutMs: request_timeout_ms,
    maxTimeoutMs: max_timeout_ms,
    ...(health_interval_ms !== undefined && { healthIntervalMs: health_interval_ms }),
    ...(idle_stop_ms !== undefined && { idleStopMs: idle_stop_ms }),
    ...(max_message_bytes !== undefined && { maxMessageBytes: max_message_bytes }),
  };
  return { definition: withoutAbsent(definition) as ServerDefinition };
}

function isTransport(value: unknown): value is TransportName {
  return typeof value === "string" && Object.hasOwn(ENTRIES, value);
}

function readTransport({ transport, command, url }: { readonly [key: string]: unknown }): unknown {
  if (typeof transport === "string" && Object.hasOwn(ALIASES, transport)) return ALIASES[transport];
  if (transport !== undefined) return transport;
  if (command !== undefined) return "stdio";
  if (url === undefined) return undefined;
  return typeof url === "string" && /^wss?:/i.test(url) ? "websocket" : "http";
}

function withoutAbsent(definition: object): object {
  return Object.fromEntries(Object.entries(definition).filter(([, value]) => value !== undefined));
}

const KINDS: { readonly [type: string]: string } = { array: "an array", record: "an object" };

function explain(issue: z.core.$ZodIssue, transport: string, entry: { readonly [key: string]: unknown }): Checked {
  if (issue.code === "unrecognized_keys") {
    const [key = ""] = issue.keys;
    return { key, wrong: `"${key}" has no meaning for a ${transport} server` };
  }
  const path = issue.path.map(String);
  const [key = ""] = path;
  if (entry[key] === undefined) return { wrong: `"${key}" is missing` };
  const what =
    issue.code === "invalid_type" ? `must be ${KINDS[issue.expected] ?? `a ${issue.expected}`}` : issue.message;
  return { key, wrong: `"${path.join(".")}" ${what}` };
}
