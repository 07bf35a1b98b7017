/** Runs a command of the service manager. */
import { HostError, systemClock } from "@plugboard/contracts";
import type { Env } from "@plugboard/contracts";
import { runOnce } from "@plugboard/mcp/process";
import type { ServiceCommand } from "./service-manager.ts";

/** Long, because the command waits until the service has started or stopped. */
const TIMEOUT_MS = 90_000;

/** The variables by which `systemctl --user` finds the manager of the user. */
const SESSION_VARIABLES = ["XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS"];

/** Returns the output. Throws SERVICE_FAILED if the command fails, unless `mayFail` is set. */
export async function runServiceCommand({ words, mayFail }: ServiceCommand, cwd: string, env: Env): Promise<string> {
  const [command = "", ...args] = words;
  const session = Object.fromEntries(SESSION_VARIABLES.flatMap((name) => (env[name] ? [[name, env[name]]] : [])));
  const result = await runOnce({ command, args, cwd, env: session, timeoutMs: TIMEOUT_MS }, systemClock);
  if ("stdout" in result) return result.stdout;
  if (mayFail) return "";
  throw new HostError("SERVICE_FAILED", { reason: `\`${words.join(" ")}\`: ${result.failed}` });
}
