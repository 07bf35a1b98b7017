/** Turns the typed arguments into those that are sent: converts them, asks for missing ones, and reports mistakes. */
import { HostError, quoteName, sanitizeLine } from "@plugboard/contracts";
import type { JsonObject } from "@plugboard/contracts";
import { checkTypedArguments } from "../../arguments/check-typed-arguments.ts";
import type { UnknownArgument } from "../../arguments/check-typed-arguments.ts";
import { coerceArguments } from "../../arguments/coerce-arguments.ts";
import type { RawArguments } from "../../arguments/coerce-arguments.ts";
import { requesterName } from "../../render/quote-untrusted.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import type { CommandContext } from "../../workspace/with-workspace.ts";
import type { FoundTool } from "./resolve-tool.ts";

/** Throws INVALID_ARGUMENTS with all problems and the tool's signature. */
export async function prepareArguments(
  raw: RawArguments,
  resolved: FoundTool,
  { json, context, cli }: { readonly json: boolean; readonly context: CommandContext; readonly cli: CliContext },
): Promise<JsonObject> {
  const { offered } = resolved;
  const typed = { ...raw, json: { ...resolved.args, ...raw.json } };
  // The host knows why the tool is not offered, and rejects the call.
  if (!offered) return coerceArguments(typed, {});
  const { inputSchema } = offered;
  const args = coerceArguments(typed, inputSchema);
  const { missing, problems, unknown } = checkTypedArguments(args, inputSchema);
  const mustFail = problems.length > 0 || (missing.length > 0 && !cli.canPrompt);
  if (mustFail) {
    const reasons = [...(missing.length > 0 ? [describeMissing(missing.map(({ name }) => name))] : []), ...problems];
    throw await invalidArguments(reasons, resolved, inputSchema);
  }
  for (const argument of unknown) warn(argument, json, cli);
  if (missing.length === 0) return args;
  const { promptArguments } = await import("../../prompt/prompt-arguments.ts");
  const requester = requesterName(resolved);
  const missingError = (names: readonly string[]) =>
    new HostError("INVALID_ARGUMENTS", { reason: describeMissing(names), tool: `${resolved.server}:${resolved.tool}` });
  return { ...args, ...(await promptArguments({ requester, missing, inputSchema, missingError }, context, cli)) };
}

function describeMissing(names: readonly string[]): string {
  return names.map((name) => `"${name}" is required`).join("; ");
}

/** Loads the signature only for the error, because a successful call does not show it. */
async function invalidArguments(
  reasons: readonly string[],
  { server, tool }: FoundTool,
  inputSchema: JsonObject,
): Promise<HostError> {
  const { renderSignature } = await import("../../signatures/render-signature.ts");
  const signature = renderSignature(quoteName(tool), inputSchema, MAX_SIGNATURE_COLUMNS);
  return new HostError("INVALID_ARGUMENTS", { reason: reasons.join("; "), tool: `${server}:${tool}`, signature });
}

const MAX_SIGNATURE_COLUMNS = 200;

function warn({ name, suggestion }: UnknownArgument, json: boolean, { stderr }: CliContext): void {
  const hint = suggestion === undefined ? "" : ` Did you mean "${suggestion}"?`;
  const message = `"${name}" is not in the tool's schema.${hint} It is sent anyway.`;
  if (json) stderr.jsonLine({ warning: { message, argument: name, ...(suggestion !== undefined && { suggestion }) } });
  else stderr.write(`warning: ${sanitizeLine(message)}\n`);
}
