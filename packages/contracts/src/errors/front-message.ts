/**
 * The message of an error for a client of the gateway. A model reads it, so it names no options of the command line and
 * no tools that the client may not see. A command appears only where a person has to run it.
 */
import { COMMAND_REMEDIES } from "./command-message.ts";
import type { ErrorDetails, HostErrorCode } from "./error-details.ts";
import { ERROR_TABLE } from "./error-table.ts";
import type { ErrorRow } from "./error-table.ts";

export function frontMessage<Code extends HostErrorCode>(error: {
  readonly code: Code;
  readonly details: ErrorDetails[Code];
}): string {
  const { code } = error;
  const { suggestion: _, ...others } = error.details as { readonly suggestion?: unknown };
  const details = others as ErrorDetails[Code];
  const row: ErrorRow<ErrorDetails[Code]> = ERROR_TABLE[code];
  const personRemedy = PERSON_REMEDIES.has(code) ? COMMAND_REMEDIES[code] : undefined;
  const remedy = FRONT_REMEDIES[code] ?? personRemedy ?? row.remedy;
  return `${row.say(details)} ${typeof remedy === "string" ? remedy : remedy(details)}`.trim();
}

/** The codes after which a person has to do something at the command line. */
const PERSON_REMEDIES: ReadonlySet<HostErrorCode> = new Set<HostErrorCode>([
  "AUTH_REQUIRED",
  "LOGIN_FAILED",
  "NOBODY_TO_ASK",
  "SERVER_UNTRUSTED",
  "SERVER_DISABLED",
  "SERVER_INVALID",
]);

type FrontRemedies = { readonly [C in HostErrorCode]?: ErrorRow<ErrorDetails[C]>["remedy"] };

/** The remedies that differ from those of the error table, which are for programs. */
const FRONT_REMEDIES: FrontRemedies = {
  TOOL_NOT_FOUND: "",
  REQUEST_TIMEOUT: "",
};
