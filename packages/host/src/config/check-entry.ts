/** Checks one server's entry and fills in what it leaves out. Loads zod, so it is itself loaded on first use. */
import * as z from "zod/mini";
import type { ServerDefinition } from "./definition.ts";
import { referencesIn, wrongReference } from "./references.ts";
import { wrongWebUrl } from "./web-url.ts";

/** The longest that a timer can wait; a longer one would fire at once. */
const MAX_MS = 2 ** 31 - 1;

const text = z
  .string()
  .check(
    z.refine((value) => wrongReference(value) === undefined, { error: ({ input }) => wrongReference(input as string) }),
  );
const texts = z.record(z.string(), text);
const duration = z
  .custom<number>((value) => Number.isInteger(value) && value > 0, "must be a whole number above 0")
  .check(z.refine((value) => value <= MAX_MS, `must be at most ${MAX_MS}`));

const common = {
  enabled: z._default(z.boolean(), true),
  startup_timeout_ms: z._default(duration, 30_000),
  request_timeout_ms: z._default(duration, 60_000),
  max_timeout_ms: z._default(duration, 600_000),
};

const stdioEntry = z.strictObject({
  ...common,
  transport: z.literal("stdio"),
  command: text.check(z.minLength(1, "must not be empty")),
  args: z._default(z.array(text), []),
  cwd: z.optional(text),
  env: z._default(texts, {}),
});

const httpEntry = z.strictObject({
  ...common,
  transport: z.literal("http"),
  url: text,
  headers: z._default(texts, {}),
});

export type Checked = { readonly definition: ServerDefinition } | { readonly wrong: string; readonly key?: string };

/** Keys are expected in Plugboard's own spelling. */
export function checkEntry(entry: { readonly [key: string]: unknown }): Checked {
  const transport = entry["transport"] ?? impliedTransport(entry);
  if (transport === undefined) return { wrong: 'it has neither a "command" nor a "url"' };
  if (transport !== "stdio" && transport !== "http") {
    return { key: "transport", wrong: `"transport" is ${JSON.stringify(transport)}; it must be "stdio" or "http"` };
  }
  const read = (transport === "stdio" ? stdioEntry : httpEntry).safeParse({ ...entry, transport });
  if (!read.success) return explain(read.error.issues[0]!, transport, entry);
  const url = "url" in read.data ? read.data.url : undefined;
  // One with references is checked when they are expanded.
  const wrong = url === undefined || referencesIn(url).length > 0 ? undefined : wrongWebUrl(url);
  if (wrong !== undefined) return { key: "url", wrong };
  const { startup_timeout_ms, request_timeout_ms, max_timeout_ms, ...rest } = read.data;
  const { cwd, ...others } = { cwd: undefined, ...rest };
  const definition = {
    ...others,
    ...(cwd !== undefined && { cwd }),
    startupTimeoutMs: startup_timeout_ms,
    requestTimeoutMs: request_timeout_ms,
    maxTimeoutMs: max_timeout_ms,
  };
  return { definition: definition as ServerDefinition };
}

function impliedTransport(entry: { readonly [key: string]: unknown }): "stdio" | "http" | undefined {
  if (entry["command"] !== undefined) return "stdio";
  return entry["url"] === undefined ? undefined : "http";
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
