/** The file with the process id of the running host, for a user who has to end a host that no longer answers. */
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Env } from "@plugboard/contracts";
import { stateFolder } from "@plugboard/store";

export async function writePidFile(env: Env): Promise<void> {
  await writeFile(pidFile(env), `${process.pid}\n`, { mode: 0o600 });
}

/** Removes the file, unless it belongs to another host. */
export async function removePidFile(env: Env): Promise<void> {
  if ((await readPidFile(env)) === process.pid) await rm(pidFile(env), { force: true });
}

/** Returns undefined if there is no file, or if it has no process id. */
export async function readPidFile(env: Env): Promise<number | undefined> {
  const text = await readFile(pidFile(env), "utf8").catch(() => undefined);
  const pid = Number(text && /^(\d+)\n$/.exec(text)?.[1]);
  return pid > 1 ? pid : undefined;
}

function pidFile(env: Env): string {
  return join(stateFolder(env), "host.pid");
}
