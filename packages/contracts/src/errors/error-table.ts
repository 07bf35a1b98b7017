/**
 * One row per code: HTTP status, exit status of the command, what happened and
 * what to do about it. `docs/errors.md` has a section for each.
 */
export const ERROR_TABLE: { readonly [C in HostErrorCode]: ErrorRow<ErrorDetails[C]> } = {
  USAGE: {
    http: 400,
    exit: 2,
    say: (d) => `${d.message}.`,
    remedy: (d) => (d.omitHelp ? "" : "See `plugboard --help`."),
  },
  OPTION_INVALID: {
    http: 400,
    exit: 2,
    say: (d) => `createHost: ${d.reason}.${d.suggestion === undefined ? "" : ` Did you mean "${d.suggestion}"?`}`,
    remedy: "Correct the options passed to createHost.",
  },
  CONFIG_INVALID: {
    http: 400,
    exit: 2,
    say: (d) => `${formatLocation(d)}: ${endSentence(d.reason)}`,
    remedy: "Correct it; until then nothing of what it says takes effect.",
  },
  SERVER_INVALID: {
    http: 400,
    exit: 2,
    say: (d) => `The definition of "${d.server}" can't be used: ${d.reason}.`,
    remedy: "Correct that entry; the other servers are not affected.",
  },
  SERVER_UNKNOWN: {
    http: 404,
    exit: 2,
    say: (d) =>
      `There is no server "${d.server}". ${d.suggestion === undefined ? "" : `Did you mean "${d.suggestion}"? `}Known: ${d.known.join(", ") || "none"}.`,
    remedy: "`plugboard list` shows what is configured.",
  },
  SERVER_DISABLED: {
    http: 409,
    exit: 3,
    say: (d) => `"${d.server}" is disabled.`,
    remedy: "Set `enabled` to true in its definition.",
  },
  SERVER_UNTRUSTED: {
    http: 403,
    exit: 5,
    say: (d) => `"${d.server}" is defined by the ${d.source} file in ${d.folder}, which you have not agreed to.`,
    remedy: (d) => `\`plugboard trust\` shows what it would run or call; \`plugboard trust ${d.server}\` agrees to it.`,
  },
  SERVER_SPAWN_FAILED: {
    http: 502,
    exit: 3,
    say: (d) => `"${d.server}" could not be started: ${d.reason}.`,
    remedy: "Check its `command`, `args` and `cwd`.",
  },
  SERVER_IS_SELF: {
    http: 409,
    exit: 2,
    say: (d) => `"${d.server}" connects back to this host, so its tools would be this host's own.`,
    remedy: (d) =>
      d.indirect === true
        ? "It is a gateway that has this host behind it. Remove it here, or this host there. It is retried."
        : "Remove this server from your config. A different Plugboard, such as a team's gateway, is allowed.",
  },
  SERVER_UNREACHABLE: {
    http: 502,
    exit: 3,
    say: (d) => `"${d.server}" can't be reached: ${d.reason}.`,
    remedy: "Check its `url` and that it is running.",
  },
  SERVER_NOT_RESPONDING: {
    http: 504,
    exit: 3,
    say: (d) => `"${d.server}" did not finish starting in ${d.afterMs} ms.${describeStderr(d.stderr)}`,
    remedy: "If it needs longer, raise its `startup_timeout_ms`.",
  },
  SERVER_CRASHED: {
    http: 502,
    exit: 3,
    say: (d) =>
      `"${d.server}" ended (${d.exit})${
        d.failures === undefined ? "" : `; after ${d.failures} failures it is not started again until you connect it`
      }.${describeStderr(d.stderr)}`,
    remedy: "If it was at a call, that may or may not have happened; it was not repeated.",
  },
  CONNECTION_LOST: {
    http: 502,
    exit: 3,
    say: (d) => `The connection to "${d.server}" was lost: ${d.reason}.`,
    remedy: "If it was at a call, that may or may not have happened; it was not repeated.",
  },
  TLS_FAILED: {
    http: 502,
    exit: 3,
    say: (d) => `No secure connection to "${d.server}" could be made: ${d.reason}.`,
    remedy: "Check its certificate; a private authority is named in `NODE_EXTRA_CA_CERTS`.",
  },
  SERVER_OVERLOADED: {
    http: 503,
    exit: 3,
    say: (d) =>
      `"${d.server}" takes no requests at the moment (HTTP status ${d.status})${
        d.retryAfterMs === undefined ? "" : ` and wants to be left alone for ${d.retryAfterMs} ms`
      }.`,
    remedy: "Try again later; what was refused did not run.",
  },
  SERVER_NOT_READING: {
    http: 503,
    exit: 3,
    say: (d) => `"${d.server}" does not read what it is sent, and too much waits for it already.`,
    remedy: "What was refused did not run; if it stays so, connect the server again.",
  },
  SESSION_LOST: {
    http: 502,
    exit: 3,
    say: (d) => `"${d.server}" has forgotten the session.`,
    remedy: "A new one is opened by itself; what was refused did not run.",
  },
  CONNECTION_CLOSED: {
    http: 409,
    exit: 3,
    say: (d) => `The connection to "${d.server}" was closed.`,
    remedy: "Connect it again to go on.",
  },
  AUTH_REQUIRED: {
    http: 401,
    exit: 3,
    say: (d) => `"${d.server}" wants a login${d.reason === undefined ? "" : `: ${d.reason}`}.`,
    remedy: (d) =>
      d.configured
        ? "Nobody logs in there: what is sent is set in its definition, in `auth` or `headers`."
        : `\`plugboard login ${d.server}\` logs in; a key is given in \`auth\` or \`headers\`.`,
  },
  LOGIN_FAILED: {
    http: 401,
    exit: 3,
    say: (d) => `Logging in at "${d.server}" failed: ${endSentence(d.reason)}`,
    remedy: (d) => `Nothing was lost; \`plugboard login ${d.server}\` tries again.`,
  },
  LOGIN_NOT_OFFERED: {
    http: 401,
    exit: 3,
    say: (d) => `"${d.server}" wants a login, and says nowhere how: ${endSentence(d.reason)}`,
    remedy: "Ask whoever runs it for a key and set it in `headers` or `auth`, or configure `auth` with its endpoints.",
  },
  LOGIN_UNSAFE: {
    http: 502,
    exit: 3,
    say: (d) => `Logging in at "${d.server}" was broken off, since it would not be safe: ${endSentence(d.reason)}`,
    remedy: "No token was asked for or sent. This is for whoever runs that server to mend.",
  },
  KEYRING_UNAVAILABLE: {
    http: 503,
    exit: 3,
    say: (d) => `The keyring can't be used: ${endSentence(d.reason)}`,
    remedy:
      "Unlock it and try again. Nothing was changed; `plugboard auth store file` keeps logins without it, from now on.",
  },
  UNSUPPORTED_VERSION: {
    http: 502,
    exit: 3,
    say: (d) => `"${d.server}" speaks only protocol ${d.offered.join(", ") || "revisions it does not name"}.`,
    remedy: "Update the server or Plugboard.",
  },
  INVALID_MESSAGE: {
    http: 502,
    exit: 3,
    say: (d) => `"${d.server}" sent something that is not a valid message: ${d.reason}.`,
    remedy: "Ask for a smaller result. If that does not help, report it to the server's author.",
  },
  UNEXPECTED_RESPONSE: {
    http: 502,
    exit: 3,
    say: (d) => `"${d.server}" answered in a way the protocol does not allow: ${d.reason}.`,
    remedy: "This is a defect of that server, or its URL is not an MCP endpoint.",
  },
  MESSAGE_TOO_LARGE: {
    http: 502,
    exit: 3,
    say: (d) => `"${d.server}" sent a message over ${d.limitBytes} bytes.`,
    remedy: "Ask it for less at a time.",
  },
  NOT_OFFERED: {
    http: 404,
    exit: 2,
    say: (d) => `"${d.server}" does not offer ${d.method}.`,
    remedy: "`plugboard list` shows what it offers.",
  },
  REQUEST_FAILED: {
    http: 502,
    exit: 3,
    say: (d) => `"${d.server}" refused ${d.method}: ${d.message} (${d.code}).`,
    remedy: "",
  },
  REQUEST_TIMEOUT: {
    http: 504,
    exit: 4,
    say: (d) => `"${d.server}" did not answer ${d.method} in ${d.afterMs} ms; it was told to stop.`,
    remedy: "If it needs longer, raise its `request_timeout_ms`.",
  },
  TOOL_NOT_FOUND: {
    http: 404,
    exit: 2,
    say: (d) => `There is no tool "${d.tool}".${d.suggestion ? ` Did you mean "${d.suggestion}"?` : ""}`,
    remedy: "`plugboard tools` lists what the servers offer.",
  },
  TOOL_INVALID: {
    http: 400,
    exit: 2,
    say: (d) => `The tool "${d.tool}" can't be registered: ${d.reason}.`,
    remedy: "Correct it where the program registers it.",
  },
  NAME_TAKEN: {
    http: 409,
    exit: 2,
    say: (d) => `The name "${d.name}" is that of "${d.owner}" already.`,
    remedy: "Register the tool under another name.",
  },
  TOOL_OFF: {
    http: 409,
    exit: 5,
    say: (d) => `"${d.tool}" is not offered: ${d.reason}.`,
    remedy: "Change that to use it.",
  },
  TOOL_EXECUTION_FAILED: {
    http: 502,
    exit: 4,
    say: (d) => `"${d.server}:${d.tool}" failed: ${d.message} (${d.code}).`,
    remedy: "",
  },
  NATIVE_TOOL_FAILED: {
    http: 500,
    exit: 4,
    say: (d) => `The tool "${d.tool}" failed: ${d.reason}.`,
    remedy: "It is the program's own code.",
  },
  INVALID_ARGUMENTS: {
    http: 400,
    exit: 2,
    say: (d) => `The arguments${d.tool === undefined ? "" : ` of "${d.tool}"`} can't be used: ${d.reason}.`,
    remedy: "`plugboard tools <server:tool>` shows what it takes.",
  },
  TOOL_DENIED: {
    http: 403,
    exit: 5,
    say: (d) => `"${d.server}:${d.tool}" is denied by ${d.by}.${d.reason ? ` Reason: ${d.reason}` : ""}`,
    remedy: "",
  },
  NOBODY_TO_ASK: {
    http: 403,
    exit: 5,
    say: (d) => `"${d.server}:${d.tool}" needs a permission and nobody is there to give it.`,
    remedy: "Allow it in `permissions.allow`, or give the host an answer port (`ports.answer`).",
  },
  TOO_MANY_ROUNDS: {
    http: 502,
    exit: 4,
    say: (d) => `"${d.server}" asked for more input ${d.rounds} times in a row; the call was given up.`,
    remedy: "This is a defect of that server.",
  },
  SAMPLING_REFUSED: {
    http: 403,
    exit: 5,
    say: (d) => `"${d.server}" wanted a text from the model, and was refused it.`,
    remedy: "Without it the call can't go on.",
  },
  TOO_MANY_CALLS: {
    http: 429,
    exit: 4,
    say: (d) => `"${d.server}" already has ${d.limit} requests in flight.`,
    remedy: "Wait for some of them.",
  },
  SERVER_BUSY: {
    http: 503,
    exit: 4,
    say: (d) => `"${d.server}" was busy with another client's call for ${d.afterMs} ms.`,
    remedy: "It asks questions without saying for whom, so it serves one client at a time.",
  },
  CANCELLED: { http: 499, exit: 130, say: (d) => `Cancelled: ${d.reason}.`, remedy: "" },
  QUESTION_GONE: {
    http: 409,
    exit: 2,
    say: (d) => `Question ${d.question} is not open (any more).`,
    remedy: "What it was about has gone on without the answer.",
  },
  QUESTION_NOT_YOURS: {
    http: 403,
    exit: 5,
    say: (d) => `Question ${d.question} belongs to another caller.`,
    remedy: "",
  },
  ANSWER_INVALID: {
    http: 400,
    exit: 2,
    say: (d) => `That does not answer question ${d.question}: ${d.reason}.`,
    remedy: "The question is still open.",
  },
  STATE_REFUSED: {
    http: 400,
    exit: 4,
    say: (d) => `The requestState can't be used: ${d.reason}.`,
    remedy: "Make the call again without it.",
  },
  TOO_MANY_PARKED: {
    http: 429,
    exit: 4,
    say: (d) => `Too many calls (${d.limit}) already wait for an answer of ${d.scope}.`,
    remedy: "Answer some of them; the others are given up after ten minutes.",
  },
  STORE_BUSY: {
    http: 503,
    exit: 3,
    say: (d) => `${d.file} was in use by ${d.holder} for ${d.afterMs} ms.`,
    remedy: "If that is not so, delete the file of the same name that ends in `.lock`.",
  },
  STORE_UNWRITABLE: {
    http: 500,
    exit: 3,
    say: (d) => `${d.file} can't be written: ${d.reason}.`,
    remedy: "The file is unchanged. Free disk space or make it writable, then try again.",
  },
  STORE_UNREADABLE: {
    http: 500,
    exit: 3,
    say: (d) => `${d.file} can't be used: ${d.reason}.`,
    remedy: "It is left as it is.",
  },
  STORE_EXPOSED: {
    http: 500,
    exit: 3,
    say: (d) => `${d.file} could be read by others (its mode was ${d.mode}).`,
    remedy: "It is closed to them now. If somebody may have read it, log out and in again.",
  },
  STATE_UNSAFE: {
    http: 500,
    exit: 3,
    say: (d) => `${d.path} is not safe to use: ${d.reason}.`,
    remedy: "Remove it, or set `XDG_STATE_HOME` to a folder of your own. Nothing was sent to it.",
  },
  SOCKET_UNUSABLE: {
    http: 500,
    exit: 3,
    say: (d) => `The host can't listen on ${d.path}: ${d.reason}.`,
    remedy: "Remove what is in its place, or set `XDG_STATE_HOME` to a folder with a shorter path.",
  },
  HOST_RUNNING: {
    http: 409,
    exit: 3,
    say: (d) => `A host is already running (${d.location}).`,
    remedy: "Use that one, or stop it first.",
  },
  PORT_TAKEN: {
    http: 409,
    exit: 3,
    say: (d) => `Port ${d.port} is taken.`,
    remedy: "Stop what uses it, or choose another with `--port`.",
  },
  VERSION_SKEW: {
    http: 409,
    exit: 3,
    say: (d) => `The running host is version ${d.host}, this is ${d.client}.`,
    remedy: "Restart the host.",
  },
  UNAUTHORIZED: {
    http: 401,
    exit: 3,
    say: () => "A valid token is needed.",
    remedy: "`plugboard token` prints yours; send it as `Authorization: Bearer <token>`.",
  },
  FORBIDDEN: { http: 403, exit: 3, say: (d) => `Refused: ${d.reason}.`, remedy: "" },
  NOT_FOUND: { http: 404, exit: 2, say: (d) => `There is no ${d.subject} here.`, remedy: "" },
  HOST_UNREACHABLE: {
    http: 502,
    exit: 3,
    say: (d) => `The running host can't be reached: ${d.reason}.`,
    remedy: "Is it still running? `plugboard serve` starts one.",
  },
  HOST_NOT_RESPONDING: {
    http: 504,
    exit: 3,
    say: (d) => `A host is running but has not answered for ${d.afterMs} ms.`,
    remedy: "It is suspended or overloaded. Wait, stop it, or run the command with `--private`.",
  },
  PORT_FAILED: {
    http: 500,
    exit: 70,
    say: (d) => `The program's ${d.port} port failed: ${d.reason}.`,
    remedy: "What was wanted of it was not given. The port is the program's own code.",
  },
  HOST_CLOSED: { http: 503, exit: 3, say: () => "The host is closed.", remedy: "" },
  INTERNAL: {
    http: 500,
    exit: 70,
    say: (d) => `Plugboard has a defect: ${d.reason}.`,
    remedy: "Please report it.",
  },
};

/** What each code says about itself. */
export interface ErrorDetails {
  /** `whole`: that is all there is to say of it; no help says more. */
  USAGE: { message: string; omitHelp?: true };
  OPTION_INVALID: { option: string; reason: string; suggestion?: string };
  CONFIG_INVALID: { file: string; line?: number; column?: number; reason: string };
  SERVER_INVALID: { server: string; reason: string };
  SERVER_UNKNOWN: { server: string; known: readonly string[]; suggestion?: string };
  SERVER_DISABLED: { server: string };
  SERVER_UNTRUSTED: { server: string; source: string; folder: string };
  SERVER_SPAWN_FAILED: { server: string; command: string; reason: string };
  SERVER_IS_SELF: { server: string; indirect?: boolean };
  SERVER_UNREACHABLE: { server: string; reason: string };
  SERVER_NOT_RESPONDING: { server: string; afterMs: number; stderr?: string };
  SERVER_CRASHED: { server: string; exit: string; failures?: number; stderr?: string };
  CONNECTION_LOST: { server: string; reason: string };
  TLS_FAILED: { server: string; reason: string };
  SERVER_OVERLOADED: { server: string; status: number; retryAfterMs?: number };
  SERVER_NOT_READING: { server: string };
  SESSION_LOST: { server: string };
  CONNECTION_CLOSED: { server: string };
  /** `configured`: what was refused stands in the definition, and nobody can log in instead. */
  AUTH_REQUIRED: { server: string; reason?: string; configured?: true };
  /** `error`: the code by which an authorization server refused. */
  LOGIN_FAILED: { server: string; reason: string; error?: string };
  LOGIN_NOT_OFFERED: { server: string; reason: string };
  LOGIN_UNSAFE: { server: string; reason: string };
  KEYRING_UNAVAILABLE: { reason: string };
  UNSUPPORTED_VERSION: { server: string; offered: readonly string[] };
  INVALID_MESSAGE: { server: string; reason: string };
  UNEXPECTED_RESPONSE: { server: string; reason: string; status?: number };
  MESSAGE_TOO_LARGE: { server: string; limitBytes: number };
  NOT_OFFERED: { server: string; method: string };
  REQUEST_FAILED: { server: string; method: string; code: number; message: string };
  REQUEST_TIMEOUT: { server: string; method: string; afterMs: number };
  TOOL_NOT_FOUND: { tool: string; suggestion?: string };
  TOOL_INVALID: { tool: string; reason: string };
  NAME_TAKEN: { name: string; owner: string };
  TOOL_OFF: { tool: string; reason: string };
  TOOL_EXECUTION_FAILED: { server: string; tool: string; code: number; message: string };
  NATIVE_TOOL_FAILED: { tool: string; reason: string };
  INVALID_ARGUMENTS: { reason: string; tool?: string };
  TOOL_DENIED: { server: string; tool: string; by: string; reason?: string };
  NOBODY_TO_ASK: { server: string; tool: string };
  TOO_MANY_ROUNDS: { server: string; rounds: number };
  SAMPLING_REFUSED: { server: string };
  TOO_MANY_CALLS: { server: string; limit: number };
  SERVER_BUSY: { server: string; afterMs: number };
  CANCELLED: { reason: string };
  QUESTION_GONE: { question: string };
  QUESTION_NOT_YOURS: { question: string };
  ANSWER_INVALID: { question: string; reason: string };
  STATE_REFUSED: { reason: string };
  TOO_MANY_PARKED: { limit: number; scope: string };
  STORE_BUSY: { file: string; holder: string; afterMs: number };
  STORE_UNWRITABLE: { file: string; reason: string };
  STORE_UNREADABLE: { file: string; reason: string };
  STORE_EXPOSED: { file: string; mode: string };
  STATE_UNSAFE: { path: string; reason: string };
  SOCKET_UNUSABLE: { path: string; reason: string };
  HOST_RUNNING: { location: string };
  PORT_TAKEN: { port: number };
  VERSION_SKEW: { host: string; client: string };
  UNAUTHORIZED: Record<never, never>;
  FORBIDDEN: { reason: string };
  NOT_FOUND: { subject: string };
  HOST_UNREACHABLE: { reason: string };
  HOST_NOT_RESPONDING: { afterMs: number };
  PORT_FAILED: { port: string; reason: string };
  HOST_CLOSED: Record<never, never>;
  INTERNAL: { reason: string };
}

export type HostErrorCode = keyof ErrorDetails;

interface ErrorRow<Details> {
  readonly http: number;
  readonly exit: number;
  say(details: Details): string;
  /** Of the details where it is a command to be copied. */
  readonly remedy: string | ((details: Details) => string);
}

function formatLocation(location: { file: string; line?: number; column?: number }): string {
  return location.line === undefined ? location.file : `${location.file}:${location.line}:${location.column ?? 1}`;
}

function endSentence(text: string): string {
  return text.endsWith("?") ? text : `${text}.`;
}

function describeStderr(stderr: string | undefined): string {
  return stderr ? ` Its last words: “${stderr}”.` : "";
}
