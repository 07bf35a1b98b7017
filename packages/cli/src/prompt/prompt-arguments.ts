/** Asks on the terminal for the arguments that a call needs and that were not given. */
import { HostError, sanitizeLine } from "@plugboard/contracts";
import type { Json, JsonObject } from "@plugboard/contracts";
import { describeMismatch } from "../arguments/check-arguments.ts";
import { coerceText } from "../arguments/coerce-arguments.ts";
import { requesterName } from "../render/quote-untrusted.ts";
import { fieldPrompt, renderField } from "../render/questions/render-question.ts";
import { textOf } from "../signatures/resolve-schema.ts";
import type { ToolParameter } from "../signatures/tool-parameters.ts";
import type { CliContext } from "../terminal/cli-context.ts";
import { interruptedError } from "../terminal/interruption.ts";
import { NoAnswerError, openTerminalLines } from "../terminal/terminal-lines.ts";
import type { TerminalLines } from "../terminal/terminal-lines.ts";
import { parameterField } from "./parameter-field.ts";
import { parseFieldInput } from "./parse-field-input.ts";
import { showQuestion } from "./show-question.ts";

export interface MissingArguments {
  readonly tool: { readonly server: string; readonly tool: string };
  readonly missing: readonly ToolParameter[];
  readonly inputSchema: JsonObject;
}

interface Interruptible {
  readonly interrupted: AbortSignal;
  readonly interrupt: () => void;
}

/** Throws CANCELLED on Ctrl-C, and INVALID_ARGUMENTS if the input ends. */
export async function promptArguments(
  { tool, missing, inputSchema }: MissingArguments,
  { interrupted, interrupt }: Interruptible,
  cli: CliContext,
): Promise<JsonObject> {
  const asker = requesterName(tool);
  const lines = openTerminalLines(cli, interrupted, interrupt);
  const entries: [string, Json][] = [];
  try {
    for (const parameter of missing)
      entries.push([parameter.name, await promptArgument(asker, parameter, inputSchema, lines)]);
    return Object.fromEntries(entries);
  } catch (thrown) {
    if (!(thrown instanceof NoAnswerError)) throw thrown;
    lines.show("\n");
    if (interrupted.aborted) throw interruptedError(interrupted, "command");
    const unanswered = missing.slice(entries.length).map(({ name }) => `"${name}" is required`);
    throw new HostError("INVALID_ARGUMENTS", { reason: unanswered.join("; "), tool: `${tool.server}:${tool.tool}` });
  } finally {
    lines.close();
  }
}

/** Asks until the value is valid. */
async function promptArgument(
  asker: string,
  { name, schema }: ToolParameter,
  root: JsonObject,
  lines: TerminalLines,
): Promise<Json> {
  const field = parameterField({ name, schema }, root);
  const dialogue = showQuestion(lines, (quote) => renderField(field, quote));
  const isSecret = textOf(schema, "format") === "password" || schema["writeOnly"] === true;
  const read = (prompt: string) => (isSecret ? lines.readHidden(prompt) : dialogue.read(prompt));
  for (;;) {
    const typed = await read(fieldPrompt(asker, field));
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
