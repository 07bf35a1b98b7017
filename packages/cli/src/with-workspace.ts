/** Opens the workspace that the common options describe, hands it to a command, and leaves nothing running behind. */
import { sanitiseLine } from "@plugboard/contracts";
import type { HostApi, Workspace, WorkspaceSpec } from "@plugboard/contracts";
import { Host } from "@plugboard/host";
import { parseServerFlag } from "./parse-server-flag.ts";
import { answerOnTerminal } from "./prompt/answer-on-terminal.ts";
import type { Surroundings } from "./surroundings.ts";

export interface CommonOptions {
  readonly config: readonly string[];
  readonly mcpServer: readonly string[];
  readonly json?: boolean;
}

export interface Opened {
  readonly api: HostApi;
  readonly workspace: Workspace;
  /** Fires when the user wants to stop. */
  readonly interrupted: AbortSignal;
}

export async function withWorkspace(
  options: CommonOptions,
  surroundings: Surroundings,
  use: (opened: Opened) => Promise<number>,
): Promise<number> {
  const { cwd, env, stdin, stderr } = surroundings;
  const spec: WorkspaceSpec = {
    cwd,
    configFiles: options.config,
    servers: Object.fromEntries(options.mcpServer.map(parseServerFlag).map(({ id, entry }) => [id, entry])),
  };
  const attended = stdin.isTTY && stderr.isTTY;
  const host = new Host({ env });
  const api = host.as("cli", { attended });
  const interruption = new AbortController();
  const interrupt = () => {
    // Asked a second time: whatever is still polite ends now.
    if (interruption.signal.aborted) void host.close();
    interruption.abort("interrupted by the user");
  };
  process.on("SIGINT", interrupt).on("SIGTERM", interrupt);
  try {
    const workspace = await api.workspace(spec);
    for (const { severity, file, line, column, server, message } of await workspace.config.problems()) {
      const at = line === undefined ? file : `${file}:${line}:${column}`;
      stderr.write(`${severity}: ${sanitiseLine(`${at}: ${server ? `"${server}": ` : ""}${message}`)}\n`);
    }
    const prompting = attended ? answerOnTerminal(api, workspace, surroundings, interrupt) : undefined;
    try {
      return await use({ api, workspace, interrupted: interruption.signal });
    } finally {
      await prompting?.stop();
    }
  } finally {
    await host.close();
    process.off("SIGINT", interrupt).off("SIGTERM", interrupt);
  }
}
