/** Asks on the terminal for the arguments that a tool or a prompt needs and that were not given. */
import { sanitizeLine, keywordText } from "@plugboard/contracts";
import type { HostError, Json, JsonObject, ToolParameter } from "@plugboard/contracts";
import { describeMismatch } from "../arguments/check-typed-arguments.ts";
import { coerceText } from "../arguments/coerce-arguments.ts";
import { fieldPrompt, renderField } from "../render/questions/render-question.ts";
import type { CliContext } from "../terminal/cli-context.ts";
import { interruptedError } from "../terminal/interruption.ts";
import { NoAnswerError, openTerminalLines } from "../terminal/terminal-lines.ts";
import type { TerminalLines } from "../terminal/terminal-lines.ts";
import { parameterField } from "./parameter-field.ts";
import { parseFieldInput } from "./parse-field-input.ts";
import { showQuestion } from "./show-question.ts";

export interface MissingArguments {
  /** The name of the tool or prompt, as `requesterName` returns it. */
  readonly requester: string;
  readonly missing: readonly Pick<ToolParameter, "name" | "schema">[];
  readonly inputSchema: JsonObject;
  /** Returns the error to throw if the input ends before these arguments have a value. */
  readonly missingError: (names: readonly string[]) => HostError;
}

/** Throws CANCELLED on Ctrl-C. */
export async function promptArguments(
  { requester, missing, inputSchema, missingError }: MissingArguments,
  { interrupted, interrupt }: { readonly interrupted: AbortSignal; readonly interrupt: () => void },
  cli: CliContext,
): Promise<JsonObject> {
  const lines = openTerminalLines(cli, interrupted, interrupt);
  const entries: [string, Json][] = [];
  try {
    for (const parameter of missing)
      entries.push([parameter.name, await promptArgument(requester, parameter, inputSchema, lines)]);
    return Object.fromEntries(entries);
  } catch (thrown) {
    if (!(thrown instanceof NoAnswerError)) throw thrown;
    lines.show("\n");
    if (interrupted.aborted) throw interruptedError(interrupted, "command");
    throw missingError(missing.slice(entries.length).map(({ name }) => name));
  } finally {
    lines.close();
  }
}

/** Asks until the value is valid. */
async function promptArgument(
  requester: string,
  { name, schema }: Pick<ToolParameter, "name" | "schema">,
  root: JsonObject,
  lines: TerminalLines,
): Promise<Json> {
  const field = parameterField({ name, schema }, root);
  const dialogue = showQuestion(lines, (quote) => renderField(field, quote));
  const isSecret = keywordText(schema, "format") === "password" || schema["writeOnly"] === true;
  const read = (prompt: string) => (isSecret ? lines.readHidden(prompt) : dialogue.read(prompt));
  for (;;) {
    const typed = await read(fieldPrompt(requester, field));
    const input = parseFieldInput(field, typed);
    const value = "value" in input ? toValue(input.value, field.type, schema, root) : undefined;
    const problem = "problem" in input ? `"${name}" ${input.problem}` : describeMismatch(name, value, schema, root)[0];
    if (problem === undefined && value !== undefined) return value;
    lines.show(`  ${sanitizeLine(problem ?? `"${name}" is required`)}.\n`);
  }
}

/** Converts text to JSON where a form has no field of the required type, such as for objects. */
function toValue(value: Json, fieldType: string, schema: JsonObject, root: JsonObject): Json {
  return fieldType === "string" && typeof value === "string" ? coerceText(value, schema, root) : value;
}
