/** Implements `plugboard service install`. */
import { mkdir, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import type { Env } from "@plugboard/contracts";
import { stateFolder, unwritableError } from "@plugboard/host/internal";
import { runServiceCommand } from "../../service/run-service-command.ts";
import { findServiceManager } from "../../service/service-manager.ts";
import type { ServiceSpec } from "../../service/service-manager.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { commandPath } from "../../workspace/command-path.ts";

interface InstallInput {
  readonly port: number | undefined;
  readonly dryRun: boolean;
  readonly json: boolean;
}

/** The variables that decide where the host finds its programs and files. */
const KEPT_VARIABLES = ["PATH", "PLUGBOARD_CONFIG_PATH", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"];

/** Shows the file and the commands before it changes anything. */
export async function installService({ port, dryRun, json }: InstallInput, cli: CliContext): Promise<number> {
  const { env, stdout } = cli;
  const manager = findServiceManager(env);
  const { file, install } = manager;
  const content = manager.render(serviceSpec(port, env));
  const commands = install.map(({ words }) => words.join(" "));
  if (json) stdout.json({ file, content, commands, dryRun });
  else stdout.write(renderPlan(file, content, commands, dryRun));
  if (dryRun) return 0;
  await writeServiceFile(file, content);
  for (const command of install) await runServiceCommand(command, dirname(file), env);
  if (!json) stdout.write(`Installed. The host runs now, and starts when you log in. \`plugboard status\` shows it.\n`);
  return 0;
}

function serviceSpec(port: number | undefined, env: Env): ServiceSpec {
  const portWords = port === undefined ? [] : ["--port", String(port)];
  return {
    command: [process.execPath, commandPath(), "serve", "--service", ...portWords],
    folder: env["HOME"] ?? homedir(),
    env: Object.fromEntries(KEPT_VARIABLES.flatMap((name) => (env[name] ? [[name, env[name]]] : []))),
    log: join(stateFolder(env), "host.log"),
  };
}

async function writeServiceFile(file: string, content: string): Promise<void> {
  try {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  } catch (error) {
    throw unwritableError(file, error);
  }
}

function renderPlan(file: string, content: string, commands: readonly string[], dryRun: boolean): string {
  const write = dryRun ? "Would write" : "Writing";
  const run = dryRun ? "and run" : "and running";
  const indented = content.trimEnd().replaceAll(/^(?=.)/gm, "  ");
  return `${write} ${file}:

${indented}

${run}:
${commands.map((command) => `  ${command}\n`).join("")}
`;
}
