/**
 * Untested on a real Windows.
 *
 * `npx`, `.cmd` files and scripts with a shebang are no programs there; cross-spawn
 * finds out how they are started. There are no groups and no polite signals either:
 * taskkill ends a process and what it has started, as long as the process itself
 * lives. And there is no guard: the system ends our direct children with us (Node
 * puts them into a job), but not what those have started.
 */
import { spawn, spawnSync } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { win32 } from "node:path";
import type { Platform, ProcessGroup } from "./platform.ts";

export const windows: Platform = {
  spawn: async () => (await import("cross-spawn")).default,
  group: (child) => new ProcessTree(child),
};

/** By its full path: a bare name is looked for in the current folder first. */
export function taskkill(pid: number, systemRoot = "C:\\Windows"): { command: string; args: string[] } {
  return {
    command: win32.join(systemRoot, "System32", "taskkill.exe"),
    args: ["/PID", String(pid), "/T", "/F"],
  };
}

class ProcessTree implements ProcessGroup {
  readonly #root: ChildProcess;

  constructor(root: ChildProcess) {
    this.#root = root;
  }

  get alive(): boolean {
    return this.#root.exitCode === null && this.#root.signalCode === null;
  }

  signal(): void {
    if (!this.alive) return;
    const { command, args } = taskkill(this.#root.pid!, process.env["SystemRoot"]);
    spawn(command, args, { stdio: "ignore", windowsHide: true }).on("error", () => {});
  }

  kill(): void {
    if (!this.alive) return;
    const { command, args } = taskkill(this.#root.pid!, process.env["SystemRoot"]);
    spawnSync(command, args, { stdio: "ignore", windowsHide: true });
  }
}
