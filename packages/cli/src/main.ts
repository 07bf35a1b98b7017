/** The `plugboard` command: runs one command on the process it finds itself in and ends with its exit status. */
import { toHostError } from "@plugboard/contracts";
import { run } from "./run.ts";
import { renderError } from "./render/error.ts";

const argv = process.argv.slice(2);

process.on("uncaughtException", (thrown) => {
  process.stderr.write(renderError(toHostError(thrown), argv.includes("--json")));
  process.exit(70);
});

process.exitCode = await run(argv, {
  cwd: process.cwd(),
  env: process.env,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  openUrl: async (url) => {
    const { openUrl } = await import("@plugboard/mcp/process");
    return openUrl(url);
  },
  exit: (status) => process.exit(status),
});
