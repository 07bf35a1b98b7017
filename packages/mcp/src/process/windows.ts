/**
 * Process handling on Windows. Not tested on a real Windows system.
 *
 * `npx`, `.cmd` files and scripts are not executables there, so cross-spawn starts them. Windows has no process groups
 * and no SIGTERM. `taskkill` ends a process and its children, but only while the process itself is running. There is no
 * orphan guard: if the host ends, the system ends its direct children, but not their children.
 */
import { spawn, spawnSync } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { win32 } from "node:path";
import type { Platform, ProcessGroup } from "./platform.ts";

export const windows: Platform = {
  loadSpawn: async () => (await import("cross-spawn")).default,
  groupOf: (child) => new ProcessTree(child),
};

/** Uses the full path, because Windows looks for a bare name in the current folder first. */
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

  /** `taskkill` finds only the children of running processes. */
  findStrays(): void {}

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
