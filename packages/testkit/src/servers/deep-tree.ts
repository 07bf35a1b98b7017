/**
 * Fixture: a server of three nested processes, as `npx` creates them: node → sh → node, all in one group. `node
 * deep-tree.js [--ignore-eof] [--ignore-term]`. The innermost process writes `tree <pid> <pid> <pid>` to stderr when
 * all are running, `eof` when its stdin ends, and `term` on SIGTERM. It exits after a minute, so that a failed test
 * leaves no process behind.
 */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const flags = process.argv.slice(2).filter((arg) => arg.startsWith("--"));
const topPid = process.argv.slice(2).find((arg) => !arg.startsWith("--"));
const ignoreEof = flags.includes("--ignore-eof");
const ignoreTerm = flags.includes("--ignore-term");

if (topPid === undefined) runTop();
else runDeepest(topPid);

function runTop(): void {
  if (ignoreTerm) process.on("SIGTERM", () => {});
  // The `exit` keeps the shell from replacing itself with the command.
  const line = `${ignoreTerm ? "trap '' TERM; " : ""}"$@"; exit $?`;
  const deepest = [process.execPath, fileURLToPath(import.meta.url), String(process.pid), ...flags];
  const child = spawn("/bin/sh", ["-c", line, "sh", ...deepest], { stdio: "inherit" });
  child.once("exit", (code) => process.exit(code ?? 1));
}

function runDeepest(top: string): void {
  setTimeout(() => process.exit(9), 60_000);
  process.on("SIGTERM", () => {
    process.stderr.write("term\n");
    if (!ignoreTerm) process.exit(0);
  });
  process.stdin.resume().once("end", () => {
    process.stderr.write("eof\n");
    if (!ignoreEof) process.exit(0);
  });
  // The reader of stderr may be gone.
  process.stderr.on("error", () => {});
  process.stderr.write(`tree ${top} ${process.ppid} ${process.pid}\n`);
}
