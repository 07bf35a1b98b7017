/**
 * Identifies the process that holds a lock, so that other processes can check whether it still runs. In doubt, a holder
 * counts as running.
 */
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

/** The JSON in a lock file, so its keys are in snake_case. */
export interface LockHolder {
  readonly token: string;
  readonly pid: number;
  readonly host: string;
  /** Linux only: the start time, which distinguishes processes that reuse a pid. */
  readonly started?: string;
  /** Linux only. */
  readonly boot_id?: string;
  /** Linux only. */
  readonly pid_namespace?: string;
}

export function currentProcessHolder(token: string): LockHolder {
  const { pid } = process;
  const self = { token, pid, host: hostname() };
  if (process.platform !== "linux") return self;
  const started = readStat(pid)?.started;
  const bootId = tryOrUndefined(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim());
  const pidNamespace = tryOrUndefined(() => readlinkSync("/proc/self/ns/pid"));
  return {
    ...self,
    ...(started && { started }),
    ...(bootId && { boot_id: bootId }),
    ...(pidNamespace && { pid_namespace: pidNamespace }),
  };
}

/** Returns undefined for a text that is not a lock holder. */
export function parseHolder(text: string): LockHolder | undefined {
  const read = tryOrUndefined(() => JSON.parse(text) as Partial<LockHolder> | null);
  const isValid =
    typeof read?.pid === "number" && typeof read.host === "string" && /^[0-9a-f]{16}$/.test(read.token ?? "");
  return isValid ? (read as LockHolder) : undefined;
}

export function isHolderDead(holder: LockHolder): boolean {
  const self = currentProcessHolder(holder.token);
  if (holder.boot_id !== self.boot_id) {
    // Dead if this machine was restarted. Unknown if the holder runs on another machine.
    return holder.boot_id !== undefined && self.boot_id !== undefined && holder.host === self.host;
  }
  if (holder.pid_namespace !== self.pid_namespace) return false;
  if (holder.boot_id === undefined && holder.host !== self.host) return false;
  return !isRunning(holder);
}

function isRunning({ pid, started }: LockHolder): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // Other errors mean that the process runs but belongs to another user.
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return false;
  }
  const stat = process.platform === "linux" ? readStat(pid) : undefined;
  if (!stat) return true;
  const isZombieOrDead = "ZX".includes(stat.state);
  return !isZombieOrDead && (started === undefined || started === stat.started);
}

/** Returns undefined if the process has ended, or if /proc hides it. */
function readStat(pid: number): { readonly state: string; readonly started: string } | undefined {
  return tryOrUndefined(() => {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The second field is the command in parentheses, which may contain spaces and parentheses. The third field is the
    // state, and the 22nd is the start time.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return { state: fields[0]!, started: fields[19]! };
  });
}

function tryOrUndefined<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
