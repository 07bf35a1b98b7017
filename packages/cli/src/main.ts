/** The `plugboard` command: parses the command line, runs one command, turns what went wrong into an exit status. */
import { run } from "./program.ts";

process.exitCode = await run(process.argv.slice(2), {
  cwd: process.cwd(),
  env: process.env,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
});
