/** Tests every row of the error table with sample details. */
import { COMMAND_REMEDIES, commandMessage, ERROR_TABLE, HostError } from "@plugboard/contracts";
import type { ErrorDetails, HostErrorCode } from "@plugboard/contracts";
import { describe, expect, it } from "vitest";

/** Sample details for each code, with all optional details. */
const SAMPLES: ErrorDetails = {
  USAGE: { message: "no tool was named" },
  OPTION_INVALID: {
    option: "comand",
    reason: 'unknown option "comand"',
    suggestion: "definition",
    method: "servers.connect",
  },
  CONFIG_INVALID: { file: "/c.json", line: 3, column: 7, reason: "it is not a rule" },
  SERVER_INVALID: { server: "files", reason: "$secret:key can't be read", missingSecret: "key" },
  SERVER_EXISTS: { server: "files", file: "/c.json" },
  SERVER_UNKNOWN: { server: "fils", known: ["files", "notes"], suggestion: "files" },
  SERVER_DISABLED: { server: "files" },
  SERVER_UNTRUSTED: { server: "files", source: "project", folder: "/p" },
  DEFINITION_CHANGED: { server: "files" },
  SERVER_SPAWN_FAILED: { server: "files", command: "npx", reason: "npx was not found" },
  SANDBOX_UNAVAILABLE: { server: "files", reason: "bubblewrap is not installed" },
  SERVER_IS_SELF: { server: "s" },
  SERVER_UNREACHABLE: { server: "files", reason: "connection refused" },
  SERVER_NOT_RESPONDING: { server: "files", afterMs: 30_000, stderr: "compiling" },
  SERVER_CRASHED: { server: "files", exit: "exit code 7", failures: 5, stderr: "out of memory" },
  CONNECTION_LOST: { server: "files", reason: "the stream ended" },
  TLS_FAILED: { server: "files", reason: "CERT_HAS_EXPIRED" },
  SERVER_OVERLOADED: { server: "files", status: 429, retryAfterMs: 2000 },
  SERVER_NOT_READING: { server: "files" },
  SESSION_LOST: { server: "files" },
  CONNECTION_CLOSED: { server: "files" },
  AUTH_REQUIRED: { server: "files", reason: "the key was refused" },
  LOGIN_FAILED: { server: "files", reason: "it says invalid_client", error: "invalid_client" },
  LOGIN_NOT_OFFERED: { server: "files", reason: "there is no metadata" },
  LOGIN_UNSAFE: { server: "files", reason: "the issuer is another" },
  KEYRING_UNAVAILABLE: { reason: "the keyring is locked" },
  REGISTRY_UNREACHABLE: { registry: "https://registry.example", reason: "it did not answer" },
  REGISTRY_INVALID: { registry: "https://registry.example", reason: "it is not JSON" },
  UNSUPPORTED_VERSION: { server: "files", offered: ["2099-01-01"] },
  WRONG_PROTOCOL: { server: "files", protocol: "legacy" },
  INVALID_MESSAGE: { server: "files", reason: "a batch" },
  UNEXPECTED_RESPONSE: { server: "files", reason: "no result", status: 418 },
  RESPONSE_TOO_LARGE: { bytes: 10_000_000, limitBytes: 9_437_184 },
  MESSAGE_TOO_LARGE: { server: "files", limitBytes: 16_777_216 },
  NOT_OFFERED: { server: "files", method: "prompts/get" },
  REQUEST_FAILED: { server: "files", method: "tools/list", code: -32603, message: "disk full" },
  REQUEST_TIMEOUT: { server: "files", method: "tools/call", afterMs: 60_000 },
  TOOL_NOT_FOUND: { tool: "files:raed", suggestion: "files:read" },
  TOOL_UNUSABLE: { tool: "files:copy", reason: "it has no name" },
  TOOL_INVALID: { tool: "now", reason: "its run must be a function" },
  NAME_TAKEN: { name: "now", owner: "clock:now" },
  TOOL_OFF: { tool: "files:rm", by: "tools.exclude" },
  TOOL_EXECUTION_FAILED: { server: "files", tool: "read", code: -32602, message: "no such path" },
  NATIVE_TOOL_FAILED: { tool: "now", reason: "it broke" },
  INVALID_ARGUMENTS: { reason: "path must be a string", tool: "files:read", signature: "read(path: string)" },
  TOOL_DENIED: { server: "files", tool: "rm", by: "rule *:rm", reason: "too dangerous" },
  NOBODY_TO_ASK: { server: "files", tool: "rm", rule: "files:*" },
  TOO_MANY_ROUNDS: { server: "files", rounds: 10 },
  SAMPLING_REFUSED: { server: "files" },
  TOO_MANY_SUBSCRIPTIONS: { limit: 64 },
  TOO_MANY_CLIENTS: { server: "files", limit: 32 },
  TOO_MANY_CALLS: { server: "files", limit: 1024 },
  ISSUER_UNREACHABLE: { issuer: "https://id.example.com", reason: "no response" },
  TOO_MANY_REQUESTS: { limit: 1000, retryAfterMs: 20 },
  MODEL_CONTEXT_EXCEEDED: { model: "anthropic/x", reason: "prompt is too long" },
  CHAT_BUSY: { chat: "c1" },
  TURN_INCOMPLETE: { reason: "step_limit" },
  MODEL_NOT_SET: { found: ["ollama/qwen3"] },
  MODEL_INVALID: { model: "gpt", reason: "a model is set as provider/model" },
  MODEL_KEY_MISSING: { model: "openai/gpt-5", variable: "OPENAI_API_KEY" },
  MODEL_URL_REFUSED: { file: "/site/.mcp.json" },
  MODEL_UNAVAILABLE: { model: "openai/gpt-5", reason: "Overloaded", status: 429, retryAfterMs: 90_000 },
  MODEL_FAILED: { model: "openai/gpt-5", reason: "invalid key", status: 401 },
  CANCELLED: { reason: "the user left" },
  QUESTION_GONE: { question: "q-17" },
  QUESTION_NOT_YOURS: { question: "q-17" },
  ANSWER_INVALID: { question: "q-17", reason: "age must be a number" },
  SERVER_BUSY: { server: "files", afterMs: 60_000 },
  STATE_REFUSED: { reason: "it has expired" },
  TOO_MANY_PARKED: { limit: 8, scope: "this client" },
  STORE_BUSY: { file: "/state/trust.json", holder: "process 17", afterMs: 10_000 },
  STORE_UNWRITABLE: { file: "/state/trust.json", reason: "the disk is full" },
  STORE_UNREADABLE: { file: "/state/trust.json", reason: "it is not JSON" },
  STORE_EXPOSED: { file: "/state/mcp-auth.json", mode: "0644" },
  STATE_UNSAFE: { path: "/state", reason: "it belongs to another user" },
  SOCKET_UNUSABLE: { path: "/state/host.sock", reason: "a folder has this path" },
  HOST_RUNNING: { location: "/run/host.sock" },
  HOST_SERVING: { endpoint: "http://127.0.0.1:7431", folder: "/home/me" },
  HOST_NOT_STOPPED: { pid: 17, afterMs: 60_000 },
  SERVICE_FAILED: { reason: "systemctl is missing" },
  PORT_TAKEN: { port: 7431 },
  VERSION_SKEW: { host: "1.0.0", client: "1.1.0" },
  UNAUTHORIZED: {},
  FORBIDDEN: { reason: "a page of another origin" },
  NOT_FOUND: { subject: "workspace with this id", suggestion: "another one" },
  HOST_UNREACHABLE: { reason: "ECONNREFUSED" },
  HOST_NOT_RESPONDING: { afterMs: 5000 },
  PORT_FAILED: { port: "answer", reason: "it broke" },
  HOST_CLOSED: {},
  INTERNAL: { reason: "x is not a function" },
};

/** Details that only programs read. The message leaves them out or says them in other words. */
const NOT_IN_MESSAGE: { readonly [code: string]: readonly string[] } = {
  SERVER_SPAWN_FAILED: ["command"],
  UNEXPECTED_RESPONSE: ["status"],
  // The user is looking at the chat, and its id means nothing to a person.
  CHAT_BUSY: ["chat"],
  TURN_INCOMPLETE: ["reason"],
};

/** Errors about a host that runs in the background. Only the command line starts one, so they may name commands. */
const RUNNING_HOST_CODES = new Set<HostErrorCode>(["UNAUTHORIZED", "HOST_UNREACHABLE"]);

const CODES = Object.keys(ERROR_TABLE) as HostErrorCode[];

it("ERROR_TABLE has a sample in this test for each code", () => {
  expect(CODES.toSorted()).toEqual(Object.keys(SAMPLES).toSorted());
});

describe.each(CODES)("ERROR_TABLE.%s", (code) => {
  const { http, exit, remedy: remedyOrFunction } = ERROR_TABLE[code];
  const { message, details } = new HostError(code, SAMPLES[code]);
  const remedy = typeof remedyOrFunction === "string" ? remedyOrFunction : remedyOrFunction(SAMPLES[code] as never);

  it("has an HTTP error status and a failing exit status", () => {
    expect(http).toBeOneOf([400, 401, 403, 404, 409, 429, 499, 500, 502, 503, 504]);
    // 0 is success and 1 a tool's error. The shell uses 126, 127 and numbers above 128; 130 is an interrupt by ^C.
    expect(exit).toBeOneOf([2, 3, 4, 5, 70, 130]);
  });

  it("has a message that contains every detail and ends with the remedy", () => {
    expect(message).toMatch(/^["`(/A-Za-z].*\S$/);
    expect(message).not.toMatch(/undefined|\[object|NaN|\.\.| {2}/);
    expect(message.endsWith(remedy)).toBe(true);
    expect(remedy).toMatch(/^$|^["`A-Z].*\.$/);
    const inMessage = Object.entries(details).filter(([name]) => !NOT_IN_MESSAGE[code]?.includes(name));
    for (const value of inMessage.flatMap(([, detail]: [string, unknown]) => detail))
      expect(message).toContain(String(value));
  });
});

it.each([
  ["CONFIG_INVALID", new HostError("CONFIG_INVALID", { file: "/c.json", reason: "it can't be read" })],
  ["SERVER_CRASHED", new HostError("SERVER_CRASHED", { server: "files", exit: "SIGKILL" })],
  ["SERVER_NOT_RESPONDING", new HostError("SERVER_NOT_RESPONDING", { server: "files", afterMs: 1 })],
  ["SERVER_UNKNOWN", new HostError("SERVER_UNKNOWN", { server: "files", known: [] })],
  ["UNSUPPORTED_VERSION", new HostError("UNSUPPORTED_VERSION", { server: "files", offered: [] })],
  ["TOOL_NOT_FOUND", new HostError("TOOL_NOT_FOUND", { tool: "x" })],
  ["NOT_FOUND", new HostError("NOT_FOUND", { subject: "workspace with this id" })],
  ["TOOL_DENIED", new HostError("TOOL_DENIED", { server: "files", tool: "x", by: "the user" })],
])("%s has a complete message without its optional details", (_, { message }) => {
  expect(message).not.toMatch(/undefined| {2}|: ?\.|: ?$|Did you mean|Reason:|stderr/);
});

it("CONFIG_INVALID names file, line and column", () => {
  expect(new HostError("CONFIG_INVALID", SAMPLES.CONFIG_INVALID).message).toContain("/c.json:3:7: it is not a rule.");
});

it.each(CODES.filter((code) => !RUNNING_HOST_CODES.has(code)))(
  "%s names no command in its message, because a program may not have the command line",
  (code) => {
    expect(new HostError(code, SAMPLES[code]).message).not.toMatch(/`plugboard|`--|the command/);
  },
);

describe("commandMessage", () => {
  it.each(CODES)("for %s says what happened, then what to do", (code) => {
    const message = commandMessage({ code, details: SAMPLES[code] });
    expect(message).toMatch(/^["`(/A-Za-z].*\S$/);
    expect(message).not.toMatch(/undefined|\[object|NaN|\.\.| {2}/);
    expect(message.startsWith(ERROR_TABLE[code].say(SAMPLES[code] as never))).toBe(true);
  });

  it.each(Object.keys(COMMAND_REMEDIES) as HostErrorCode[])("for %s differs from the message for programs", (code) => {
    expect(commandMessage({ code, details: SAMPLES[code] })).not.toBe(new HostError(code, SAMPLES[code]).message);
  });

  it("does not speak of a running call if a server exits before it is ready", () => {
    const crash = new HostError("SERVER_CRASHED", { server: "files", exit: "SIGKILL", starting: true });
    for (const message of [crash.message, commandMessage(crash)]) expect(message).not.toContain("taken effect");
  });

  it("puts the name of a tool into a command only if it has no special characters", () => {
    const advice = (tool: string) => commandMessage(new HostError("NOBODY_TO_ASK", { server: "s", tool, inbox: true }));
    expect(advice("read_file")).toContain("`plugboard permissions allow s:read_file`");
    for (const tool of ["x; rm -rf ~", "*", "a`b", "$(id)"]) expect(advice(tool)).not.toContain("permissions allow s:");
  });

  it("names no command to reconnect a server that restarts by itself", () => {
    const message = commandMessage(new HostError("SERVER_CRASHED", { server: "files", exit: "SIGKILL" }));
    expect(message).not.toContain("plugboard status");
  });
});

it("the message of REQUEST_TIMEOUT names the timeout that was exceeded", () => {
  const details = { server: "files", method: "tools/call", afterMs: 1 };
  const [own, callers] = [details, { ...details, byCaller: true } as const].map(
    (shown) => new HostError("REQUEST_TIMEOUT", shown),
  );
  expect(own!.message).toContain("`request_timeout_ms`");
  expect(callers!.message).not.toContain("request_timeout_ms");
  expect(commandMessage(callers!)).toContain("raise `--timeout`.");
});

it("the message of TOOL_OFF names only the setting that disables the tool", () => {
  const message = (by: ErrorDetails["TOOL_OFF"]["by"]) => new HostError("TOOL_OFF", { tool: "files:rm", by }).message;
  expect(message("tools.include")).not.toContain("exclude");
  expect(message("tools.exclude")).not.toContain("tools.include");
  expect(message("server_disabled")).toContain("its server is disabled");
  expect(message("tool_disabled")).toContain("the tool is disabled");
  expect(message("program")).toContain("in the program");
});

it("the message of NOBODY_TO_ASK names the rule, and names the option only to a person", () => {
  const details = { server: "files", tool: "rm", rule: "files:*" };
  const byRule = new HostError("NOBODY_TO_ASK", details);
  expect(commandMessage(byRule)).toContain("(rule files:* in `permissions.ask`)");
  expect(commandMessage(byRule)).not.toContain("--");
  const forPerson = new HostError("NOBODY_TO_ASK", { ...details, option: "--yes" });
  expect(commandMessage(forPerson)).toContain("with `--yes`");
  const byDefault = new HostError("NOBODY_TO_ASK", { server: "files", tool: "rm" });
  expect(commandMessage(byDefault)).not.toContain("permissions.ask");
});

it("the message of AUTH_REQUIRED names no login command if the definition has the credentials", () => {
  const message = commandMessage(
    new HostError("AUTH_REQUIRED", { server: "notes", reason: "the key was refused", configured: true }),
  );
  expect(message).not.toContain("plugboard login");
  expect(message).toContain("in its definition, under `auth` or `headers`.");
});

it("the message of SERVER_INVALID names `plugboard secret set` only if a secret is missing", () => {
  const error = new HostError("SERVER_INVALID", SAMPLES.SERVER_INVALID);
  expect(commandMessage(error)).toContain("`plugboard secret set key`");
  const other = new HostError("SERVER_INVALID", { server: "files", reason: "it has no command" });
  expect(commandMessage(other)).toContain("Correct this entry.");
});

it.each(["AUTH_REQUIRED", "LOGIN_FAILED"] as const)("the message of %s names the login command", (code) => {
  const error = new HostError(code, { server: "notes", reason: "it says no" });
  expect(commandMessage(error)).toContain("`plugboard login notes`");
});

it("a message quotes only the last lines of a server's stderr, and ends with the command that shows the rest", () => {
  const stderr = Array.from({ length: 40 }, (_, index) => `line ${index + 1}`).join("\n");
  for (const details of [
    { code: "SERVER_CRASHED", details: { server: "files", exit: "exit code 7", starting: true, stderr } },
    { code: "SERVER_NOT_RESPONDING", details: { server: "files", afterMs: 30_000, stderr } },
  ] as const) {
    const message = commandMessage(details);
    expect(message).toContain('stderr: "line 36\nline 37\nline 38\nline 39\nline 40".');
    expect(message).not.toContain("line 35");
    expect(message).toMatch(/`plugboard logs files` shows all of its output\.$/);
  }
  const few = commandMessage({ code: "SERVER_CRASHED", details: { server: "files", exit: "x", stderr: "a\nb" } });
  expect(few).not.toContain("plugboard logs");
});

it("an unexpected response mentions the URL only if the server has answered with an HTTP status", () => {
  const details = { server: "files", reason: "no result" };
  expect(new HostError("UNEXPECTED_RESPONSE", { ...details, status: 404 }).message).toContain("its URL");
  expect(new HostError("UNEXPECTED_RESPONSE", details).message).toMatch(/no result\. Report this/);
});
