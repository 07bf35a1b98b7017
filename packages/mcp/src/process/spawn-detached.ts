/** Starts a program that keeps running after this process exits. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { open } from "node:fs/promises";
import { INSTANCE_VARIABLE } from "@plugboard/contracts";
import { WITHOUT_MARK } from "./process-mark.ts";

/** Runs the program in the given folder and appends its output to the log file. */
export async function spawnDetached(
  command: string,
  args: readonly string[],
  cwd: string,
  logFile: string,
): Promise<void> {
  const log = await open(logFile, "a", 0o600);
  try {
    const stdio = ["ignore", log.fd, log.fd] as const;
    // Removes the ids of parent hosts. The program is a host of its own, so they must not look like a loop of hosts.
    const env = { ...process.env, [INSTANCE_VARIABLE]: undefined, ...WITHOUT_MARK };
    const child = spawn(command, [...args], { cwd, env, detached: true, windowsHide: true, stdio: [...stdio] });
    await once(child, "spawn");
    child.unref();
  } finally {
    await log.close();
  }
}
