/** Implements `plugboard call`. */
import {
  ERROR_TABLE,
  EXIT_STATUSES,
  HostError,
  sanitizeLine,
  SCHEMA_MISMATCH_KEY,
  toHostError,
} from "@plugboard/contracts";
import type { PermissionQuestion, ToolResult } from "@plugboard/contracts";
import { parseToolWords } from "../../arguments/parse-tool-words.ts";
import { readToolArguments } from "../../arguments/read-tool-arguments.ts";
import { renderError } from "../../render/render-error.ts";
import { rawText, renderToolResult } from "../../render/tools/render-tool-result.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { tryRenderJson } from "../../terminal/render-json.ts";
import { withWorkspace } from "../../workspace/with-workspace.ts";
import type { CommandContext, CommandOptions } from "../../workspace/with-workspace.ts";
import { prepareArguments } from "./prepare-arguments.ts";
import { resolveTool } from "./resolve-tool.ts";
import type { FoundTool } from "./resolve-tool.ts";
import { runToolCall } from "./run-tool-call.ts";

type Format = "text" | "json" | "raw";

interface CallInput extends CommandOptions {
  readonly tool: string;
  readonly pairs: readonly string[];
  readonly args: string | undefined;
  readonly format: Format | undefined;
  readonly output: string | undefined;
  readonly timeout: number | undefined;
  readonly yes: boolean;
}

/** Calls one tool and prints its result. Starts only the tool's server if the words name it. */
export async function callTool(input: CallInput, cli: CliContext): Promise<number> {
  const format = input.format ?? (input.json ? "json" : "text");
  try {
    return await call(input, format, cli);
  } catch (thrown) {
    // The caller prints errors as JSON only for --json, so those of `--format json` are printed here.
    if (format !== "json" || input.json) throw thrown;
    const error = toHostError(thrown);
    cli.stderr.write(renderError(error, { json: true }));
    return ERROR_TABLE[error.code].exit;
  }
}

async function call(input: CallInput, format: Format, cli: CliContext): Promise<number> {
  const { candidates, words } = parseToolWords(input.tool, input.pairs);
  const raw = await readToolArguments(words, input.args, cli);
  // Loaded only for the option, because few calls save files.
  const blobs = input.output === undefined ? undefined : await import("./save-blobs.ts");
  const outputFolder = await blobs?.makeOutputFolder(cli.cwd, input.output!);
  let resolved: FoundTool | undefined;
  // With --yes, answers the permission question about this tool, but no other question.
  const approves = ({ server, tool }: PermissionQuestion) => server === resolved?.server && tool === resolved.tool;
  const run = async (context: CommandContext) => {
    resolved = await resolveTool(candidates, context);
    const args = await prepareArguments(raw, resolved, { json: format === "json", context, cli });
    const result = await runToolCall({ ...resolved, args, timeoutMs: input.timeout }, context, cli);
    printResult(result, format, resolved, cli);
    // In other formats, stdout contains only the result.
    const output = format === "text" ? cli.stdout : cli.stderr;
    if (outputFolder !== undefined) await blobs!.saveBlobs(result, outputFolder, output);
    return result.isError ? EXIT_STATUSES.reported.status : 0;
  };
  // If the words name the server, it is started while a private host loads.
  const named = candidates.find(({ server }) => server !== undefined);
  const upcomingCall = named?.server === undefined ? undefined : { server: named.server, tool: named.tool };
  const options = { ...input, json: format === "json", ...(input.yes && { approves }) };
  return withWorkspace(options, cli, run, { server: upcomingCall?.server }, upcomingCall);
}

function printResult(result: ToolResult, format: Format, { server, tool }: FoundTool, cli: CliContext): void {
  const printed = { text: renderToolResult, json: tryRenderJson, raw: rawText }[format](result);
  if (printed === undefined) {
    const reason = "the result is nested too deeply to be printed";
    throw new HostError("UNEXPECTED_RESPONSE", { server: `${server}:${tool}`, reason });
  }
  cli.stdout.content(printed);
  const mismatch = result._meta?.[SCHEMA_MISMATCH_KEY];
  if (format !== "json" && typeof mismatch === "string")
    cli.stderr.write(
      `The structured result did not match the tool's output schema and was left out: ${sanitizeLine(mismatch)}.\n`,
    );
  if (format === "raw" && printed === "" && result.content.length > 0)
    cli.stderr.write("The result has no text. Use --format json to see it, or --output to save its files.\n");
}
