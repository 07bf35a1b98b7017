/** Lets one `stop` or `restart` at a time run, so that a `stop` during a restart stops the restarted host. */
import { join } from "node:path";
import type { Env } from "@plugboard/contracts";
import { ensureStateFolder, withLock } from "@plugboard/store";

/** Longer than a restart takes: the host may wait a minute for its requests and servers. */
const TIMEOUT_MS = 90_000;

export async function oneStopAtATime<T>(env: Env, work: () => Promise<T>): Promise<T> {
  return withLock(join(await ensureStateFolder(env), "host-stop"), work, { timeoutMs: TIMEOUT_MS });
}
