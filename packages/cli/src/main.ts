/** The entry point of the `plugboard` command. Runs it with this process's streams and exits with its status. */
import { EXIT_STATUSES, HostError, toHostError } from "@plugboard/contracts";
import { run } from "./run.ts";
import { renderError } from "./render/render-error.ts";

const argv = process.argv.slice(2);

process.on("uncaughtException", (thrown) => {
  process.stderr.write(renderError(toHostError(thrown), { json: argv.includes("--json") }));
  process.exit(EXIT_STATUSES.defect.status);
});

void runInThisProcess();

async function runInThisProcess(): Promise<void> {
  process.exitCode = await run(argv, {
    // A getter, so that commands that don't use the folder also work in a deleted one.
    get cwd() {
      return currentFolder();
    },
    env: process.env,
    // A getter, because opening stdin takes long and few commands read it.
    get stdin() {
      return process.stdin;
    },
    stdout: process.stdout,
    stderr: process.stderr,
    openUrl: async (url) => {
      const { openUrl } = await import("@plugboard/mcp/process");
      return openUrl(url);
    },
    exit: (status) => process.exit(status),
  });
}

function currentFolder(): string {
  try {
    return process.cwd();
  } catch (error) {
    const message = "The current folder has been deleted. Change to another folder";
    throw new HostError("USAGE", { message, omitHelp: true }, { cause: error });
  }
}
