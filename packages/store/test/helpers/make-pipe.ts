/** Creates a named pipe. */
import { execFileSync } from "node:child_process";

export function makePipe(path: string): void {
  execFileSync("mkfifo", [path]);
}
