/**
 * What each error code says, with its HTTP status and its exit status. `error-details.ts` has the details of each code.
 */
import { lastLines } from "../lib/last-lines.ts";
import type { ErrorDetails, HostErrorCode, ToolOffCause } from "./error-details.ts";
import type { ExitStatus } from "./exit-statuses.ts";

/** The remedy of errors that leave open whether a call took effect. */
export const UNKNOWN_EFFECT =
  "A call that was running may have taken effect. It was not repeated; check before you call again.";

/** The remedy for a principal of the gateway that has to log in itself. */
export const OWN_LOGIN = "Each client logs in itself: make the request again to get a new link.";

/** Returns the remedy of an invalid definition, or of a variable that is not set. */
export function definitionRemedy({ variable }: ErrorDetails["SERVER_INVALID"]): string {
  const remedy =
    variable === undefined ? "Correct this entry" : `Set ${variable}, or give it a default: \${${variable}:-default}`;
  return `${remedy}. The other servers are not affected.`;
}

/**
 * The error codes, with one row each: the HTTP status, the exit status of the command, what happened, and what to do.
 * `docs/errors.md` has a section for each code. `command-message.ts` has the remedies that name a command.
 */
export const ERROR_TABLE: { readonly [C in HostErrorCode]: ErrorRow<ErrorDetails[C]> } = {
  USAGE: {
    http: 400,
    exit: 2,
    say: (d) => `${d.message}.${d.suggestion === undefined ? "" : ` Did you mean ${d.suggestion}?`}`,
    remedy: "",
  },
  OPTION_INVALID: {
    http: 400,
    exit: 2,
    say: (d) =>
      `${d.method ?? "createHost"}: ${d.reason}.${d.suggestion === undefined ? "" : ` Did you mean "${d.suggestion}"?`}`,
    remedy: (d) => `Correct the options passed to ${d.method ?? "createHost"}.`,
  },
  CONFIG_INVALID: {
    http: 400,
    exit: 2,
    say: sayConfigProblems,
    remedy: (d) => (d.missing ? "Create the file, or correct its path." : "Correct the file, then try again."),
  },
  SERVER_INVALID: {
    http: 400,
    exit: 2,
    say: (d) => `The definition of "${d.server}" can't be used: ${d.reason}.`,
    remedy: (d) =>
      d.missingSecret === undefined ? definitionRemedy(d) : "Store the secret. The other servers are not affected.",
  },
  SERVER_EXISTS: {
    http: 409,
    exit: 2,
    say: (d) => `"${d.server}" is already defined in ${d.file}.`,
    remedy: "Replace the definition explicitly, or choose another id.",
  },
  SERVER_UNKNOWN: {
    http: 404,
    exit: 2,
    say: (d) =>
      `There is no server "${d.server}". ${d.suggestion === undefined ? "" : `Did you mean "${d.suggestion}"? `}Known: ${d.known.join(", ") || "none"}.`,
    remedy: "",
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
    say: (d) => `"${d.server}" is defined by the ${d.source} file in ${d.folder}, and you have not approved it.`,
    remedy: "Approve this definition to use the server.",
  },
  DEFINITION_CHANGED: {
    http: 409,
    exit: 2,
    say: (d) => `The definition of "${d.server}" has changed since it was shown.`,
    remedy: "Look at the new definition, then approve or change that.",
  },
  SERVER_SPAWN_FAILED: {
    http: 502,
    exit: 3,
    say: (d) => `"${d.server}" could not be started: ${d.reason}.`,
    remedy: "Check its `command`, `args` and `cwd`.",
  },
  SANDBOX_UNAVAILABLE: {
    http: 502,
    exit: 3,
    say: (d) => `"${d.server}" was not started, because its sandbox can't be set up: ${d.reason}.`,
    remedy: "Correct that, or remove `sandbox` from its definition to run it with all rights of its user.",
  },
  SERVER_IS_SELF: {
    http: 409,
    exit: 2,
    say: (d) => `"${d.server}" connects back to this host, so its tools would be this host's own.`,
    remedy: (d) =>
      d.indirect === true
        ? "It is a gateway that has this host as one of its servers. Remove it here, or remove this host there. Plugboard keeps retrying."
        : "Remove this server from your config. A different Plugboard, such as a team's gateway, is allowed.",
  },
  SERVER_UNREACHABLE: {
    http: 502,
    exit: 3,
    say: (d) => `"${d.server}" can't be reached: ${d.reason}.`,
    remedy: "Check its `url`, and that the server is running.",
  },
  SERVER_NOT_RESPONDING: {
    http: 504,
    exit: 3,
    say: (d) =>
      `"${d.server}" did not finish starting within ${d.afterMs} ms.${describeNoise(d.noiseLines)}${describeStderr(d.stderr)}`,
    remedy: "If it needs more time, raise its `startup_timeout_ms`.",
  },
  SERVER_CRASHED: {
    http: 502,
    exit: 3,
    say: (d) =>
      `"${d.server}" exited (${d.exit}).${
        d.failures === undefined
          ? ""
          : ` After ${d.failures} failures, Plugboard restarts it only for a request, at most once a minute.`
      }${describeStderr(d.stderr)}`,
    remedy: (d) => (d.starting ? "" : UNKNOWN_EFFECT),
  },
  CONNECTION_LOST: {
    http: 502,
    exit: 3,
    say: (d) => `The connection to "${d.server}" was lost: ${d.reason}.`,
    remedy: UNKNOWN_EFFECT,
  },
  TLS_FAILED: {
    http: 502,
    exit: 3,
    say: (d) => `The secure connection to "${d.server}" failed: ${d.reason}.`,
    remedy:
      "Check its certificate. If a private CA signed it, set `NODE_EXTRA_CA_CERTS` to the file with the CA certificate.",
  },
  SERVER_OVERLOADED: {
    http: 503,
    exit: 3,
    say: (d) =>
      `"${d.server}" rejects requests at the moment (HTTP status ${d.status})${
        d.retryAfterMs === undefined ? "" : ` and asks to retry after ${d.retryAfterMs} ms`
      }.`,
    remedy: "The request did not run. Try again later.",
  },
  SERVER_NOT_READING: {
    http: 503,
    exit: 3,
    say: (d) => `"${d.server}" does not read its input, and the queue of messages to it is full.`,
    remedy: "The request was not sent. Restart the server if this happens again: it probably hangs.",
  },
  SESSION_LOST: {
    http: 502,
    exit: 3,
    say: (d) => `"${d.server}" ended the session, and Plugboard could not send the request in a new one.`,
    remedy: "The request did not run. Try again.",
  },
  CONNECTION_CLOSED: {
    http: 409,
    exit: 3,
    say: (d) => `The connection to "${d.server}" was closed.`,
    remedy: "Connect it again to use it.",
  },
  AUTH_REQUIRED: {
    http: 401,
    exit: 3,
    say: (d) => `"${d.server}" requires a login${d.reason === undefined ? "" : `: ${d.reason}`}.`,
    remedy: (d) =>
      d.configured
        ? "Correct the key or token in its definition, under `auth` or `headers`."
        : d.own
          ? OWN_LOGIN
          : "Log in, or set a key under `auth` or `headers` in its definition.",
  },
  LOGIN_FAILED: {
    http: 401,
    exit: 3,
    say: (d) => `The login at "${d.server}" failed: ${endSentence(d.reason)}`,
    remedy: (d) => (d.own ? OWN_LOGIN : "Stored logins are unchanged. Log in again to retry."),
  },
  LOGIN_NOT_OFFERED: {
    http: 401,
    exit: 3,
    say: (d) => `"${d.server}" requires a login but does not say how to log in: ${endSentence(d.reason)}`,
    remedy:
      "Ask its operator for a key and set it under `headers` or `auth`, or configure the login endpoints under `auth`.",
  },
  LOGIN_UNSAFE: {
    http: 502,
    exit: 3,
    say: (d) => `The login at "${d.server}" was stopped because it is not safe: ${endSentence(d.reason)}`,
    remedy: "No token was requested or sent. Report this to the operator of the server, who has to fix it.",
  },
  KEYRING_UNAVAILABLE: {
    http: 503,
    exit: 3,
    say: (d) => `The keyring can't be used: ${endSentence(d.reason)}`,
    remedy: "Nothing was changed. Unlock the keyring and try again, or store logins and secrets in a file.",
  },
  REGISTRY_UNREACHABLE: {
    http: 502,
    exit: 3,
    say: (d) => `The registry ${d.registry} can't be reached: ${d.reason}.`,
    remedy: "Check your network connection, or choose another registry.",
  },
  REGISTRY_INVALID: {
    http: 502,
    exit: 3,
    say: (d) => `The answer of the registry ${d.registry} can't be used: ${d.reason}.`,
    remedy: "Check that the URL is an MCP registry with the API v0.1. If it is, report this to its operator.",
  },
  UNSUPPORTED_VERSION: {
    http: 502,
    exit: 3,
    say: (d) =>
      d.offered.length === 0
        ? `"${d.server}" and Plugboard have no protocol version in common.`
        : `"${d.server}" supports only protocol version ${d.offered.join(", ")}.`,
    remedy: "Update the server or Plugboard.",
  },
  WRONG_PROTOCOL: {
    http: 502,
    exit: 3,
    say: (d) => `"${d.server}" does not speak the ${d.protocol} protocol, which its definition demands.`,
    remedy: "Remove `protocol` from its definition, so that Plugboard detects what the server speaks.",
  },
  INVALID_MESSAGE: {
    http: 502,
    exit: 3,
    say: (d) => `"${d.server}" sent an invalid message: ${d.reason}.`,
    remedy:
      "If the result is too large or too deeply nested to parse, ask for a smaller one. Otherwise report this to the server's author.",
  },
  UNEXPECTED_RESPONSE: {
    http: 502,
    exit: 3,
    say: (d) => `"${d.server}" sent a response that can't be used: ${d.reason}.`,
    remedy: (d) =>
      d.status === undefined
        ? "Report this to the server's author."
        : "Check that its URL is an MCP endpoint. If it is, report this to the server's author.",
  },
  MESSAGE_TOO_LARGE: {
    http: 502,
    exit: 3,
    say: (d) => `"${d.server}" sent a message larger than ${d.limitBytes} bytes.`,
    remedy: "Ask for less data at a time, or raise its `max_message_bytes`.",
  },
  RESPONSE_TOO_LARGE: {
    http: 502,
    exit: 3,
    say: (d) => `The response has ${d.bytes} bytes. A client over stdio can read at most ${d.limitBytes}.`,
    remedy: "Ask for less data at a time.",
  },
  NOT_OFFERED: {
    http: 404,
    exit: 2,
    say: (d) => `"${d.server}" does not support ${d.method}.`,
    remedy: "The request was not sent, because the server does not declare that capability.",
  },
  REQUEST_FAILED: {
    http: 502,
    exit: 3,
    say: (d) => `"${d.server}" answered ${d.method} with an error: ${d.message} (${d.code}).`,
    remedy: "",
  },
  REQUEST_TIMEOUT: {
    http: 504,
    exit: 4,
    say: (d) => `"${d.server}" did not answer ${d.method} within ${d.afterMs} ms, so the request was cancelled.`,
    remedy: (d) =>
      d.byCaller
        ? "If it needs more time, raise the timeout of the call."
        : "If it needs more time, raise its `request_timeout_ms`.",
  },
  TOOL_NOT_FOUND: {
    http: 404,
    exit: 2,
    say: (d) => `There is no tool "${d.tool}".${d.suggestion ? ` Did you mean "${d.suggestion}"?` : ""}`,
    remedy: "Use another tool, or list the tools to see their names.",
  },
  TOOL_UNUSABLE: {
    http: 409,
    exit: 5,
    say: (d) => `The tool "${d.tool}" can't be used: ${d.reason}.`,
    remedy: "Use another tool, or report this to the server's author.",
  },
  TOOL_INVALID: {
    http: 400,
    exit: 2,
    say: (d) => `The tool "${d.tool}" can't be registered: ${d.reason}.`,
    remedy: "Correct it in the program that registers it.",
  },
  NAME_TAKEN: {
    http: 409,
    exit: 2,
    say: (d) => `The name "${d.name}" is already used by "${d.owner}".`,
    remedy: "Register the tool under another name.",
  },
  TOOL_OFF: {
    http: 409,
    exit: 5,
    say: (d) => `"${d.tool}" is not available: ${TOOL_OFF_TEXTS[d.by].reason}.`,
    remedy: (d) => TOOL_OFF_TEXTS[d.by].remedy,
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
    remedy:
      "This tool is code of the program that uses Plugboard as a library, not of a server. Fix it in that program.",
  },
  INVALID_ARGUMENTS: {
    http: 400,
    exit: 2,
    say: (d) => `Invalid arguments${d.tool === undefined ? "" : ` for "${d.tool}"`}: ${d.reason}.`,
    remedy: (d) =>
      d.signature === undefined ? "The tool's input schema describes its arguments." : `Its arguments: ${d.signature}.`,
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
    say: (d) =>
      `"${d.server}:${d.tool}" needs permission${d.rule === undefined ? "" : ` (rule ${d.rule} in \`permissions.ask\`)`}, and nobody is there to give it.`,
    remedy: (d) => {
      if (d.chat) return "Go on without it. The user can allow it with a rule in `permissions.allow`.";
      return d.channel
        ? 'Add a rule to `permissions.allow`, or open the channel with `"attended": true` and answer its questions with `inbox.answer`.'
        : "Add a rule to `permissions.allow`, or pass the callback `ports.answer` to createHost.";
    },
  },
  TOO_MANY_ROUNDS: {
    http: 502,
    exit: 4,
    say: (d) => `"${d.server}" asked for more input ${d.rounds} times in one call, so the call was cancelled.`,
    remedy: "Report this to the server's author.",
  },
  SAMPLING_REFUSED: {
    http: 403,
    exit: 5,
    say: (d) => `"${d.server}" asked to use your model, and the request was declined.`,
    remedy: "The server can't finish the call without the model. Repeat the call and allow the request.",
  },
  TOO_MANY_CALLS: {
    http: 429,
    exit: 4,
    say: (d) =>
      d.byCaller
        ? `This client already has ${d.limit} or more requests to "${d.server}" in progress, which is its share.`
        : `"${d.server}" already has ${d.limit} requests in progress.`,
    remedy: "Wait until some of them finish.",
  },
  TOO_MANY_SUBSCRIPTIONS: {
    http: 429,
    exit: 4,
    say: (d) => `This caller has already subscribed to ${d.limit} resources, and no more are allowed.`,
    remedy: "Unsubscribe from resources that are no longer needed.",
  },
  TOO_MANY_CLIENTS: {
    http: 429,
    exit: 4,
    say: (d) =>
      `"${d.server}" already has connections for ${d.limit} clients${d.byCaller ? " with this token" : ""}, and no more are allowed.`,
    remedy:
      "Close the sessions of clients that have finished and try again, or set `share` to `all` in the definition of the server.",
  },
  TOO_MANY_REQUESTS: {
    http: 429,
    exit: 4,
    say: (d) => {
      if (d.per === "open") return `This token has ${d.limit} open requests, and no more are allowed.`;
      if (d.per === "connections")
        return `All ${d.limit} connections are in use, and this token has most open requests, so this request was ended.`;
      if (d.per === "unread") return `Clients with this token have not read ${d.limit} bytes of responses.`;
      if (d.per === "bodies") return `Clients with this token are sending more than ${d.limit} bytes at the same time.`;
      if (d.per === "failures") return `More than ${d.limit} requests with a wrong token or code came within a minute.`;
      return `This token has sent more than ${d.limit} requests per second.`;
    },
    remedy: (d) => `Try again in ${d.retryAfterMs} ms.`,
  },
  SERVER_BUSY: {
    http: 503,
    exit: 4,
    say: (d) => `"${d.server}" was busy with another client's call for ${d.afterMs} ms.`,
    remedy:
      "Plugboard can't tell which call a question of this server belongs to, so only one client uses it at a time. Try again later, or set `share` to `caller` in its definition.",
  },
  MODEL_NOT_SET: {
    http: 409,
    exit: 2,
    say: (d) => `No model is set.${d.found.length === 0 ? "" : ` Models on this machine: ${d.found.join(", ")}.`}`,
    remedy:
      "Set `model` in your config file or `PLUGBOARD_MODEL` in the environment to `provider/model`, such as `anthropic/…` with `ANTHROPIC_API_KEY`, `openai/…` with `OPENAI_API_KEY`, or `ollama/…` without a key.",
  },
  MODEL_INVALID: {
    http: 400,
    exit: 2,
    say: (d) => `The model "${d.model}" can't be used: ${d.reason}.`,
    remedy: "Correct the setting.",
  },
  MODEL_KEY_MISSING: {
    http: 401,
    exit: 2,
    say: (d) => `The model "${d.model}" needs an API key.`,
    remedy: (d) => `Set \`${d.variable}\` in the environment, or store a secret with that name.`,
  },
  MODEL_URL_REFUSED: {
    http: 403,
    exit: 5,
    say: (d) => `The project's file ${d.file} sets a provider of models.`,
    remedy: "Remove it there. To use the provider, add it to your own config file.",
  },
  MODEL_UNAVAILABLE: {
    http: 503,
    exit: 3,
    say: (d) =>
      `The model "${d.model}" is not available: ${d.reason}${d.status === undefined ? "" : ` (HTTP status ${d.status})`}${
        d.retryAfterMs === undefined ? "" : `; the provider asks to retry after ${d.retryAfterMs} ms`
      }.`,
    remedy: (d) => (d.unreachable ? "Check the base URL, and that the model server runs there." : "Try again later."),
  },
  MODEL_FAILED: {
    http: 502,
    exit: 3,
    say: (d) =>
      `The model "${d.model}" could not answer: ${d.reason}${d.status === undefined ? "" : ` (HTTP status ${d.status})`}.`,
    remedy: (d) => MODEL_REMEDIES[d.status ?? 0] ?? "",
  },
  MODEL_CONTEXT_EXCEEDED: {
    http: 409,
    exit: 3,
    say: (d) => `The conversation is too long for the model "${d.model}": ${d.reason}.`,
    remedy: "Compact the conversation, or begin a new one.",
  },
  CHAT_BUSY: {
    http: 409,
    exit: 3,
    say: (d) =>
      d.holder === undefined ? "The chat is busy with a turn." : `The chat is open in another host (${d.holder}).`,
    remedy: (d) =>
      d.holder === undefined ? "Wait until the turn ends, or cancel it." : "Close it there first, or use that host.",
  },
  TURN_INCOMPLETE: {
    http: 409,
    exit: 4,
    say: (d) => TURN_ENDS[d.reason],
    remedy: "",
  },
  CANCELLED: {
    http: 499,
    exit: 130,
    say: (d) => `Cancelled: ${d.reason}.`,
    remedy: "",
  },
  QUESTION_GONE: {
    http: 409,
    exit: 2,
    say: (d) => `Question ${d.question} is not open: it was answered, withdrawn, or timed out.`,
    remedy: "No answer is needed.",
  },
  QUESTION_NOT_YOURS: {
    http: 403,
    exit: 5,
    say: (d) => `Question ${d.question} belongs to another caller.`,
    remedy: "Only that caller can answer it.",
  },
  ANSWER_INVALID: {
    http: 400,
    exit: 2,
    say: (d) => `This answer does not fit question ${d.question}: ${d.reason}.`,
    remedy: "The question is still open. Answer it again.",
  },
  STATE_REFUSED: {
    http: 400,
    exit: 4,
    say: (d) => `The requestState can't be used: ${d.reason}.`,
    remedy: "Repeat the call without it.",
  },
  TOO_MANY_PARKED: {
    http: 429,
    exit: 4,
    say: (d) => `Too many calls of ${d.scope} are waiting for an answer (limit: ${d.limit}).`,
    remedy: "Answer some of them. Calls that get no answer are cancelled after ten minutes.",
  },
  STORE_BUSY: {
    http: 503,
    exit: 3,
    say: (d) => `${d.file} was locked by ${d.holder} for ${d.afterMs} ms.`,
    remedy: (d) => `If that process no longer runs, delete ${d.file}.lock.`,
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
    remedy: (d) =>
      d.movedTo === undefined
        ? "Plugboard did not change the file. Correct this or move the file away, then try again."
        : `The file was moved to ${d.movedTo}. Delete it if you don't need it.`,
  },
  STORE_EXPOSED: {
    http: 500,
    exit: 3,
    say: (d) => `Other users could read ${d.file} (its mode was ${d.mode}).`,
    remedy: "Its permissions are corrected now. If somebody may have read it, log out and log in again.",
  },
  STATE_UNSAFE: {
    http: 500,
    exit: 3,
    say: (d) => `${d.path} is not safe to use: ${d.reason}.`,
    remedy: "Remove it, or set `XDG_STATE_HOME` to a folder of your own. Plugboard did not use it.",
  },
  SOCKET_UNUSABLE: {
    http: 500,
    exit: 3,
    say: (d) => `The host can't listen on ${d.path}: ${d.reason}.`,
    remedy: "Remove the file or folder at that path, or set `XDG_STATE_HOME` to a folder with a shorter path.",
  },
  HOST_RUNNING: {
    http: 409,
    exit: 3,
    say: (d) => `A host is already running (socket ${d.location}).`,
    remedy: "Commands use it automatically. To start another one, stop it first.",
  },
  HOST_SERVING: {
    http: 409,
    exit: 3,
    say: (d) => `The running host already serves the folder ${d.folder} at ${d.endpoint}.`,
    remedy: "Use that address, or stop the host first.",
  },
  HOST_NOT_STOPPED: {
    http: 504,
    exit: 3,
    say: (d) => `The host (process ${d.pid}) has not ended within ${d.afterMs} ms.`,
    remedy: "Wait, or force it to stop.",
  },
  SERVICE_FAILED: {
    http: 500,
    exit: 3,
    say: (d) => `The service can't be managed: ${d.reason}.`,
    remedy: "",
  },
  PORT_TAKEN: {
    http: 409,
    exit: 3,
    say: (d) => `Port ${d.port} is already in use.`,
    remedy: "Stop the program that uses it, or choose another port.",
  },
  VERSION_SKEW: {
    http: 409,
    exit: 3,
    say: (d) => `The running host is version ${d.host}, but this client is version ${d.client}.`,
    remedy: "Stop the running host, then try again.",
  },
  UNAUTHORIZED: {
    http: 401,
    exit: 3,
    say: () => "A valid token is required.",
    remedy:
      "Run `plugboard token create <name>` to make one for this client, and send it as `Authorization: Bearer <token>`. The control API needs your own, which `plugboard token show` prints.",
  },
  ISSUER_UNREACHABLE: {
    http: 503,
    exit: 3,
    say: (d) => `Tokens of ${d.issuer} can't be checked: ${d.reason}.`,
    remedy: "Check `mcp.gateway.auth` in the config of the gateway, and its network connection. Then try again.",
  },
  FORBIDDEN: {
    http: 403,
    exit: 3,
    say: (d) => `The request was refused: ${d.reason}.`,
    remedy: "",
  },
  NOT_FOUND: {
    http: 404,
    exit: 2,
    say: (d) => `There is no ${d.subject}.${d.suggestion === undefined ? "" : ` Did you mean ${d.suggestion}?`}`,
    remedy: "",
  },
  HOST_UNREACHABLE: {
    http: 502,
    exit: 3,
    say: (d) => `The host can't be reached: ${d.reason}.`,
    remedy: "`plugboard serve` starts one.",
  },
  HOST_NOT_RESPONDING: {
    http: 504,
    exit: 3,
    say: (d) => `A host is running but did not answer within ${d.afterMs} ms.`,
    remedy: "It may be suspended or overloaded. Wait, or stop it.",
  },
  PORT_FAILED: {
    http: 500,
    exit: 70,
    say: (d) => `The callback "${d.port}" that the program passed to createHost failed: ${d.reason}.`,
    remedy: "Plugboard continued without its result. Fix the callback in the program.",
  },
  HOST_CLOSED: {
    http: 503,
    exit: 3,
    say: () => "The host is closed.",
    remedy: "",
  },
  INTERNAL: {
    http: 500,
    exit: 70,
    say: (d) => `Internal error: ${d.reason}.`,
    remedy: "This is a defect in Plugboard. Please report it.",
  },
};

export interface ErrorRow<Details> {
  readonly http: number;
  readonly exit: ExitStatus;
  /** Says what happened. */
  say(details: Details): string;
  /** Says what to do, without naming a command. A function if the text contains details. */
  readonly remedy: string | ((details: Details) => string);
}

const TOOL_OFF_TEXTS: { readonly [Cause in ToolOffCause]: { readonly reason: string; readonly remedy: string } } = {
  "tools.include": {
    reason: "`tools.include` in the definition of its server does not include it",
    remedy: "To use it, add it to `tools.include`.",
  },
  "tools.exclude": {
    reason: "`tools.exclude` in the definition of its server excludes it",
    remedy: "To use it, remove it from `tools.exclude`.",
  },
  program: { reason: "the program excludes it", remedy: "To use it, remove it from `exclude` in the program." },
  tool_disabled: { reason: "the tool is disabled", remedy: "To use it, enable the tool in the program." },
  server_disabled: { reason: "its server is disabled", remedy: "To use it, enable the server in the program." },
};

const TURN_ENDS: { readonly [Reason in ErrorDetails["TURN_INCOMPLETE"]["reason"]]: string } = {
  step_limit: "The turn reached its limit of steps before the model was done.",
  token_limit: "The turn reached its limit of tokens before the model was done.",
  output_limit: "The model's answer was cut at its maximum length.",
  refused: "The provider's content filter stopped the answer.",
};

/** What to do about an answer of the model's provider, by its HTTP status. */
const MODEL_REMEDIES: { readonly [status: number]: string } = {
  401: "Check the API key and its permissions.",
  403: "Check the API key and its permissions.",
  404: "Check the name of the model and the base URL.",
};

const MAX_SAID_PROBLEMS = 10;

/** Lists the errors of a config file, up to a limit. Leaves out its warnings. */
function sayConfigProblems({ file, others = [], ...first }: ErrorDetails["CONFIG_INVALID"]): string {
  const errors = [first, ...others.filter(({ severity }) => severity === undefined)];
  const said = errors.slice(0, MAX_SAID_PROBLEMS);
  const lines = said.map((problem) => `${formatLocation({ file, ...problem })}: ${endSentence(problem.reason)}`);
  const omitted = errors.length - said.length;
  return [...lines, ...(omitted > 0 ? [`There are ${omitted} more problems.`] : [])].join("\n");
}

function formatLocation(location: { file: string; line?: number; column?: number }): string {
  return location.line === undefined ? location.file : `${location.file}:${location.line}:${location.column ?? 1}`;
}

function endSentence(text: string): string {
  return text.endsWith("?") ? text : `${text}.`;
}

function describeNoise(lines = 0): string {
  if (lines === 0) return "";
  const [count, are] = lines === 1 ? ["one line", "is no MCP message"] : [`${lines} lines`, "are no MCP messages"];
  return ` It wrote ${count} to stdout that ${are}: it may be another kind of program.`;
}

/** More lines would hide the remedy, which follows them. */
const MAX_STDERR_LINES = 5;

function describeStderr(stderr: string | undefined): string {
  return stderr ? ` It last wrote to stderr: "${lastLines(stderr, MAX_STDERR_LINES).text}".` : "";
}

/** Says how to see the output that the message leaves out. */
export function logsHint(details: object): string {
  const { server, stderr = "" } = details as { readonly server?: string; readonly stderr?: string };
  if (lastLines(stderr, MAX_STDERR_LINES).omitted === 0) return "";
  return `\`plugboard logs ${server}\` shows all of its output.`;
}
