/**
 * Fixture: a server three processes deep, as `npx` makes them: node → sh → node, all in one group.
 * `node deep-tree.js [--ignore-eof] [--ignore-term]`; the deepest writes `tree <pid> <pid> <pid>` to stderr when all are
 * there, `eof` and `term` when it hears of those, and ends after a minute, so that a failed test leaves nothing for long.
 */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const flags = process.argv.slice(2).filter((arg) => arg.startsWith("--"));
const top = process.argv.slice(2).find((arg) => !arg.startsWith("--"));
const ignoreEof = flags.includes("--ignore-eof");
const ignoreTerm = flags.includes("--ignore-term");

if (top === undefined) runTop();
else runDeepest(top);

function runTop(): void {
  if (ignoreTerm) process.on("SIGTERM", () => {});
  // With something left to do after it, so that the shell stays in between.
  const line = `${ignoreTerm ? "trap '' TERM; " : ""}"$@"; exit $?`;
  const deepest = [process.execPath, fileURLToPath(import.meta.url), String(process.pid), ...flags];
  const child = spawn("/bin/sh", ["-c", line, "sh", ...deepest], { stdio: "inherit" });
  child.once("exit", (code) => process.exit(code ?? 1));
}

function runDeepest(topPid: string): void {
  setTimeout(() => process.exit(9), 60_000);
  process.on("SIGTERM", () => {
    process.stderr.write("term\n");
    if (!ignoreTerm) process.exit(0);
  });
  process.stdin.resume().once("end", () => {
    process.stderr.write("eof\n");
    if (!ignoreEof) process.exit(0);
  });
  // Whoever reads this may be gone; that is no reason to end.
  process.stderr.on("error", () => {});
  process.stderr.write(`tree ${topPid} ${process.ppid} ${process.pid}\n`);
}
