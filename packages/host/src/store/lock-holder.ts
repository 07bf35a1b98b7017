/**
 * Who holds a lock, in words that other processes can check. Knows whether a
 * holder is gone for certain; where that can't be known, it is not gone.
 */
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

export interface LockHolder {
  readonly token: string;
  readonly pid: number;
  readonly host: string;
  /** Of Linux: when the process started, so that another one with the same number is not taken for it. */
  readonly started?: string;
  /** Of Linux: which boot of the machine, and in which space its process numbers mean something. */
  readonly boot?: string;
  readonly space?: string;
}

export function currentProcessHolder(token: string): LockHolder {
  const { pid } = process;
  const self = { token, pid, host: hostname() };
  if (process.platform !== "linux") return self;
  const started = readStat(pid)?.started;
  const boot = tryOrUndefined(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim());
  const space = tryOrUndefined(() => readlinkSync("/proc/self/ns/pid"));
  return { ...self, ...(started && { started }), ...(boot && { boot }), ...(space && { space }) };
}

/** Nothing if the text is not from one of us. */
export function parseHolder(text: string): LockHolder | undefined {
  const read = tryOrUndefined(() => JSON.parse(text) as Partial<LockHolder> | null);
  const known =
    typeof read?.pid === "number" && typeof read.host === "string" && /^[0-9a-f]{16}$/.test(read.token ?? "");
  return known ? (read as LockHolder) : undefined;
}

export function isHolderDead(holder: LockHolder): boolean {
  const self = currentProcessHolder(holder.token);
  if (holder.boot !== self.boot) {
    // This machine since its last start; or another machine, of which nothing is known.
    return holder.boot !== undefined && self.boot !== undefined && holder.host === self.host;
  }
  if (holder.space !== self.space) return false;
  if (holder.boot === undefined && holder.host !== self.host) return false;
  return !isRunning(holder);
}

function isRunning({ pid, started }: LockHolder): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // Somebody else's process may not be signalled, but is there.
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return false;
  }
  const stat = process.platform === "linux" ? readStat(pid) : undefined;
  if (!stat) return true;
  return !"ZX".includes(stat.state) && (started === undefined || started === stat.started);
}

/** Nothing if it has ended, or is hidden from us. */
function readStat(pid: number): { readonly state: string; readonly started: string } | undefined {
  return tryOrUndefined(() => {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The second field is the command in brackets, which may itself hold blanks and brackets.
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
