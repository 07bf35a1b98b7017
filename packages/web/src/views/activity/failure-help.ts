/**
 * Where the user can do something about a failed call, by its error code. The error's message says what to do. Pure.
 */
import type { HostErrorCode } from "@plugboard/contracts";

export interface FailureHelp {
  readonly text: string;
  readonly place: "tool" | "server" | "log";
}

type Places = { readonly [Code in HostErrorCode]?: FailureHelp["place"] };
type Texts = { readonly [Code in HostErrorCode]?: string };

/** Errors with other codes are about the server. */
const PLACES: Places = {
  INVALID_ARGUMENTS: "tool",
  TOOL_DENIED: "tool",
  NOBODY_TO_ASK: "tool",
  TOOL_NOT_FOUND: "tool",
  TOOL_OFF: "tool",
  NATIVE_TOOL_FAILED: "tool",
  CANCELLED: "tool",
  TOOL_EXECUTION_FAILED: "log",
  REQUEST_TIMEOUT: "log",
  SERVER_CRASHED: "log",
  SERVER_NOT_READING: "log",
  CONNECTION_LOST: "log",
};

const PLACE_TEXTS: { readonly [Place in FailureHelp["place"]]: string } = {
  tool: "The page of the tool shows its arguments and rules.",
  server: "The page of the server shows its state and its last error.",
  log: "The log of the server may show why.",
};

const NOT_OFFERED = "The tool is not offered now. Check its name, and whether it or its server is switched off.";
const SERVER_ENDED =
  "The connection ended during the call. The log shows what the server wrote before. The call may have taken effect.";

/** Texts that say more than the message, or name a place on the page. */
const TEXTS: Texts = {
  INVALID_ARGUMENTS: "The call was not sent. The form of the tool shows what it needs.",
  TOOL_DENIED: "A rule or a person denied the call. The page of the tool shows its rules.",
  NOBODY_TO_ASK: "Allow the tool by a rule, or keep this page open and answer the question.",
  TOOL_NOT_FOUND: NOT_OFFERED,
  TOOL_OFF: NOT_OFFERED,
  CANCELLED: "The caller cancelled the call. It may have taken effect.",
  SERVER_CRASHED: SERVER_ENDED,
  CONNECTION_LOST: SERVER_ENDED,
};

const TOOL_ERROR: FailureHelp = {
  text: "The tool ran and reports an error itself. Check the arguments of the call, then the log of the server.",
  place: "tool",
};

/** `code` is absent if the tool reports the error itself. */
export function failureHelp(code: string | undefined): FailureHelp {
  if (code === undefined) return TOOL_ERROR;
  const place = PLACES[code as HostErrorCode] ?? "server";
  return { place, text: TEXTS[code as HostErrorCode] ?? PLACE_TEXTS[place] };
}
