/** Asks the `node` on PATH for its version, once for each value of PATH. */
import { systemClock } from "@plugboard/contracts";
import { runOnce } from "@plugboard/mcp/process";

const TIMEOUT_MS = 5000;

export class NodeVersions {
  readonly #versions = new Map<string, Promise<string | undefined>>();

  /** Returns the version of the `node` on PATH, such as `22.12.0`. Returns undefined if there is none. */
  onPath(cwd: string, path: string | undefined): Promise<string | undefined> {
    const key = path ?? "";
    const known = this.#versions.get(key);
    if (known) return known;
    const asked = askVersion(cwd, path);
    this.#versions.set(key, asked);
    return asked;
  }
}

async function askVersion(cwd: string, path: string | undefined): Promise<string | undefined> {
  const env = path === undefined ? {} : { PATH: path };
  const result = await runOnce({ command: "node", args: ["--version"], cwd, env, timeoutMs: TIMEOUT_MS }, systemClock);
  return "stdout" in result ? /^v(\d+\.\d+\.\d+)/.exec(result.stdout)?.[1] : undefined;
}
