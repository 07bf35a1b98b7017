/**
 * Stops the servers of a host that was killed. The guard is one small shell process for all servers. It notices the
 * host's death because its stdin closes. It runs only while there are servers to watch.
 *
 * It misses a process that the host started but had not reported when it died, and processes that have left their group.
 * Windows has no guard (see `windows.ts`).
 */
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import type { Socket } from "node:net";
import { steadyNow } from "@plugboard/contracts";
import type { Clock } from "@plugboard/contracts";

/** A guard that exits sooner is broken. A new guard is started only with the next server. */
const MIN_LIFETIME_MS = 1000;

export class OrphanGuard {
  readonly #clock: Clock;
  readonly #startShell: () => ChildProcess | undefined;
  readonly #groups = new Set<number>();
  #shell: ChildProcess | undefined;

  constructor(clock: Clock, start = startShell) {
    this.#clock = clock;
    this.#startShell = start;
  }

  watch(group: number): void {
    this.#groups.add(group);
    if (this.#shell) this.#writeLine(`+ ${group}\n`);
    else this.#start();
  }

  unwatch(group: number): void {
    this.#groups.delete(group);
    this.#writeLine(`- ${group}\n`);
    if (this.#groups.size === 0) this.#stop();
  }

  #start(): void {
    const startedAt = steadyNow(this.#clock);
    const shell = this.#startShell();
    if (!shell) return;
    this.#shell = shell;
    for (const group of this.#groups) this.#writeLine(`+ ${group}\n`);
    shell.once("exit", () => {
      if (this.#shell !== shell) return;
      this.#shell = undefined;
      if (steadyNow(this.#clock) - startedAt >= MIN_LIFETIME_MS) this.#start();
    });
  }

  /** Node writes to a pipe synchronously on POSIX, so the guard gets the line even if the host is killed right after. */
  #writeLine(line: string): void {
    this.#shell?.stdin?.write(line);
  }

  /** Ends the stdin of the guard, which then exits. */
  #stop(): void {
    this.#shell?.stdin?.end();
    this.#shell = undefined;
  }
}

/**
 * Starts the guard. It gets none of the host's variables except PATH, and does not keep the host alive. Returns
 * undefined if it can't be started. The host then runs without a guard.
 */
function startShell(): ChildProcess | undefined {
  try {
    const shell = spawn("/bin/sh", ["-c", guardScript(process.pid)], {
      cwd: "/",
      // Node would add NODE_V8_COVERAGE by itself.
      env: { PATH: process.env["PATH"] ?? "/usr/bin:/bin", NODE_V8_COVERAGE: undefined },
      stdio: ["pipe", "ignore", "ignore"],
      detached: true,
    });
    shell.on("error", () => {});
    shell.stdin?.on("error", () => {});
    if (shell.pid === undefined) return undefined;
    shell.unref();
    (shell.stdin as Socket).unref();
    return shell;
  } catch {
    return undefined;
  }
}

/**
 * Returns the shell script of the guard. It runs under `sh`, which every POSIX system has. The host writes lines to its
 * stdin: `+ 123` watches process group 123, `- 123` stops watching it. Its stdin ends when the host dies. The guard
 * then stops all groups that it still watches.
 *
 * The guard must never signal an unrelated process. It skips a truncated line, a value that is not a number, and 0 and
 * 1, which `kill` treats specially. It also skips a group whose leader has another start time, because the number has
 * been reused. Only Linux shows the start time.
 *
 * The script avoids `kill --` and fractions of a second in `sleep`, because some systems do not support them.
 */
export function guardScript(hostPid: number, procDir = "/proc"): string {
  return `# Plugboard: stops the servers of process ${hostPid} if it dies without stopping them.
set -f
trap '' HUP INT QUIT TERM
# Entries of the form group:start_time. The start time may be empty.
watched=

read_start_time() {
  start_time= stat=
  read -r stat <"${procDir}/$1/stat" || return 0
  set -- \${stat##*) }
  start_time=\${20}
}

unwatch() {
  kept=
  for entry in $watched; do [ "\${entry%:*}" = "$1" ] || kept="$kept $entry"; done
  watched=$kept
}

# Keeps a group if its start time is the recorded one, or if one of the two times is unknown. Compares recorded:current.
drop_dead_groups() {
  kept=
  for entry in $watched; do
    kill -0 "-\${entry%:*}" || continue
    read_start_time "\${entry%:*}"
    case "\${entry#*:}:$start_time" in *: | :* | "$start_time:$start_time") kept="$kept $entry" ;; esac
  done
  watched=$kept
}

while read -r command group; do
  case $group in '' | *[!0-9]* | 0* | 1) continue ;; esac
  case $command in
    +) read_start_time "$group"; watched="$watched $group:$start_time" ;;
    -) unwatch "$group" ;;
  esac
done

# Signal 0 does nothing: it gives the servers a second to exit. Most exit by themselves when their stdin ends.
for signal in 0 TERM 0 KILL; do
  drop_dead_groups
  [ "$watched" ] || exit 0
  for entry in $watched; do kill "-$signal" "-\${entry%:*}"; done
  [ "$signal" = KILL ] || sleep 1
done
`;
}
