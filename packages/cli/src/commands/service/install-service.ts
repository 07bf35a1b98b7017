/** Implements `plugboard service install`. */
import { mkdir, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { HostError, isHostError } from "@plugboard/contracts";
import type { Env, HostInfo } from "@plugboard/contracts";
import { stateFolder, unwritableError } from "@plugboard/store";
import { runServiceCommand } from "../../service/run-service-command.ts";
import { findServiceManager } from "../../service/service-manager.ts";
import type { ServiceManager, ServiceSpec } from "../../service/service-manager.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { commandPath } from "../../workspace/command-path.ts";
import { connectToRunningHost } from "../../workspace/open-host.ts";
import { waitForHost } from "../../workspace/start-background-host.ts";
import type { ServiceInstallOutput } from "../../outputs/host-outputs.ts";

/** The variables that decide where the host finds its programs and files. */
const KEPT_VARIABLES = ["PATH", "PLUGBOARD_CONFIG_PATH", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"];

/** Shows the file and the commands before it changes anything. */
export async function installService(
  { port, dryRun, json }: { readonly port: number | undefined; readonly dryRun: boolean; readonly json: boolean },
  cli: CliContext,
): Promise<number> {
  const { env, stdout, stderr } = cli;
  const manager = findServiceManager(env);
  const { file, install } = manager;
  const spec = serviceSpec(port, env);
  const content = manager.render(spec);
  if (!dryRun) await throwIfServingElsewhere(spec, env);
  const commands = install.map(({ words }) => words.join(" "));
  if (json) stdout.json({ file, content, commands, dryRun } satisfies ServiceInstallOutput);
  else stdout.write(renderPlan(file, content, commands, dryRun));
  if (dryRun) return 0;
  await writeServiceFile(file, content);
  for (const command of install) await runServiceCommand(command, dirname(file), env);
  const host = await findStartedHost(manager, dirname(file), env);
  if (!host) stderr.write(`${NOT_RUNNING} ${manager.logPlace(spec)} has its output.\n`);
  else if (!json) stdout.write(renderInstalled(host));
  return 0;
}

const NOT_RUNNING = "warning: the service is installed and starts when you log in, but the host does not run now.";
/** How long the installed service may take to start the host. */
const SERVICE_START_MS = 5000;

/** Throws HOST_SERVING if a host serves another folder, because the service would fail again and again. */
async function throwIfServingElsewhere({ folder }: ServiceSpec, env: Env): Promise<void> {
  const host = await connectToRunningHost(env, { acceptsAnyVersion: true });
  try {
    const { port, startedBy } = (await host?.control.info()) ?? {};
    if (!port || startedBy === "service" || port.spec.cwd === folder) return;
    throw new HostError("HOST_SERVING", { endpoint: port.endpoint, folder: port.spec.cwd });
  } finally {
    await host?.close();
  }
}

/** Returns undefined if the service manager says that the service does not run, or if the host can't be reached. */
async function findStartedHost(manager: ServiceManager, cwd: string, env: Env): Promise<HostInfo | undefined> {
  if (!manager.isRunning(await runServiceCommand(manager.status, cwd, env))) return undefined;
  try {
    const host = await waitForHost(env, "it did not start", undefined, SERVICE_START_MS);
    const info = await host.control.info();
    await host.close();
    return info;
  } catch (error) {
    if (isHostError(error) && error.code === "HOST_UNREACHABLE") return undefined;
    throw error;
  }
}

/** A host that was running before goes on running. The service uses it. */
function renderInstalled({ pid, startedBy }: HostInfo): string {
  const process = startedBy === "service" ? `process ${pid}` : `process ${pid}, which was running before`;
  return `Installed. The host runs now (${process}), and starts when you log in. \`plugboard status --host\` shows it.\n`;
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
