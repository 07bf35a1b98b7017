/** Implements `plugboard types`. */
import { readFile, realpath, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { HostError, sanitizeLine } from "@plugboard/contracts";
import { writeAtomically } from "@plugboard/host/internal";
import { declareTools, GENERATED_MARK } from "../../signatures/declare-tools.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { rejectOnInterrupt } from "../../terminal/interruption.ts";
import { withWorkspace } from "../../workspace/with-workspace.ts";
import type { CommandContext, CommandOptions } from "../../workspace/with-workspace.ts";
import { connectServers, exitStatusOf, reportErrors, untrustedErrors } from "./connect-servers.ts";

interface TypesInput extends CommandOptions {
  readonly server: string | undefined;
  readonly output: string | undefined;
}

/** Prints the types, or writes them to a file. Fails if a server can't be connected, because its tools are missing then. */
export async function printTypes({ server, output, ...options }: TypesInput, cli: CliContext): Promise<number> {
  const file = output === undefined ? undefined : resolve(cli.cwd, output);
  if (file !== undefined) await checkOverwrite(file);
  const print = async (context: CommandContext) => {
    const { workspace, interrupted } = context;
    const servers = await rejectOnInterrupt(workspace.status(), interrupted);
    const { errors } = await connectServers(server, context);
    const offered = await rejectOnInterrupt(workspace.tools.list(), interrupted);
    const tools = offered.filter((tool) => tool.origin === "mcp" && (server ?? tool.server) === tool.server);
    const types = declareTools(tools);
    const missing = { ...(server === undefined && untrustedErrors(servers)), ...errors };
    reportErrors(missing, options, cli);
    if (file !== undefined) await writeTypes(file, types);
    const names = tools.map((tool) => `${tool.server}:${tool.tool}`).sort();
    if (options.json) cli.stdout.json({ tools: names, ...(file === undefined ? { types } : { file }) });
    else if (file === undefined) cli.stdout.write(types);
    else cli.stdout.write(`Wrote the types of ${tools.length} tools to ${sanitizeLine(file)}.\n`);
    return exitStatusOf(missing);
  };
  return withWorkspace(options, cli, print, { server });
}

/** Keeps a symbolic link, the old file if writing fails, and its mode. */
async function writeTypes(file: string, types: string): Promise<void> {
  const target = await realpath(file).catch(() => file);
  const existing = await stat(target).catch(() => undefined);
  await writeAtomically(target, types, { copyModeFrom: existing, mode: 0o666 });
}

/** Throws USAGE for a file that this command has not written, and for one that can't be read. */
async function checkOverwrite(file: string): Promise<void> {
  try {
    if ((await readFile(file, "utf8")).startsWith(GENERATED_MARK)) return;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return;
    throw new HostError(
      "USAGE",
      { message: `--output ${file}: it can't be read (${code})`, omitHelp: true },
      { cause: error },
    );
  }
  const message = `--output ${file}: it was not written by this command, so it is not overwritten. Delete it or choose another file`;
  throw new HostError("USAGE", { message, omitHelp: true });
}
