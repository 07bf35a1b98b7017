/** What to do about a failed call, by its error code. Pure. */
import type { HostErrorCode } from "@plugboard/contracts";

export interface FailureHelp {
  readonly text: string;
  /** Where the user can do something about it. */
  readonly place: "tool" | "server" | "log";
}

const TOOL_ERROR: FailureHelp = {
  text: "The tool ran and reports an error itself. Check the arguments of the call, then the log of the server.",
  place: "log",
};

const SERVER_DOWN: FailureHelp = {
  text: "The server was not running. Its page shows the last error and what to do about it.",
  place: "server",
};

const SERVER_ENDED: FailureHelp = {
  text: "The server ended or hung during the call. Its log shows what it wrote before. The call may have taken effect.",
  place: "log",
};

const NOT_OFFERED: FailureHelp = {
  text: "The tool is not offered now. Check its name, and whether it or its server is switched off.",
  place: "tool",
};

const BY_CODE: { readonly [Code in HostErrorCode]?: FailureHelp } = {
  INVALID_ARGUMENTS: {
    text: "The call was not sent, because its arguments don’t fit the schema of the tool. The form of the tool shows what it needs.",
    place: "tool",
  },
  TOOL_DENIED: { text: "A rule or a person denied the call. The page of the tool shows its rules.", place: "tool" },
  NOBODY_TO_ASK: {
    text: "The call needs permission, and nobody was there to give it. Allow the tool by a rule, or keep this page open and answer the question.",
    place: "tool",
  },
  TOOL_NOT_FOUND: NOT_OFFERED,
  TOOL_OFF: NOT_OFFERED,
  AUTH_REQUIRED: { text: "The server requires a login. Log in on its page.", place: "server" },
  LOGIN_FAILED: { text: "The login failed. Log in again on the page of the server.", place: "server" },
  REQUEST_TIMEOUT: {
    text: "The server took too long. Its log may show why. If it needs the time, raise request_timeout_ms in its definition.",
    place: "log",
  },
  CANCELLED: { text: "The caller cancelled the call. It may have taken effect.", place: "tool" },
  SERVER_CRASHED: SERVER_ENDED,
  CONNECTION_LOST: SERVER_ENDED,
  SERVER_NOT_READING: SERVER_ENDED,
  SERVER_SPAWN_FAILED: SERVER_DOWN,
  SERVER_UNREACHABLE: SERVER_DOWN,
  SERVER_NOT_RESPONDING: SERVER_DOWN,
  SERVER_DISABLED: SERVER_DOWN,
  SERVER_UNTRUSTED: SERVER_DOWN,
  SERVER_INVALID: SERVER_DOWN,
  CONNECTION_CLOSED: SERVER_DOWN,
};

/** `code` is absent if the tool reports the error itself. */
export function failureHelp(code: string | undefined): FailureHelp | undefined {
  return code === undefined ? TOOL_ERROR : BY_CODE[code as HostErrorCode];
}
