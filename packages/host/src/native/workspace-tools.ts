/** Makes the host's own tools for the files of a workspace and for commands. */
import type { Clock } from "@plugboard/contracts";
import type { Processes } from "@plugboard/mcp/process";
import type { NativeTool } from "../tools/native-tool.ts";
import { editFileTool } from "./files/edit-file-tool.ts";
import { readFileTool } from "./files/read-file-tool.ts";
import { WorkspaceFolder } from "./files/workspace-folder.ts";
import type { WorkspaceFolderOptions } from "./files/workspace-folder.ts";
import { writeFileTool } from "./files/write-file-tool.ts";
import type { Policy } from "../policy/policy.ts";
import { SearchThreads } from "./search/search-threads.ts";
import { globTool, grepTool } from "./search/search-tools.ts";
import { terminalTool } from "./terminal-tool.ts";
import type { TerminalSandbox } from "./terminal-tool.ts";

export interface WorkspaceToolsOptions extends WorkspaceFolderOptions {
  readonly processes: Pick<Processes, "start">;
  readonly clock: Clock;
  /** Returns the current rules. */
  readonly policy: () => Policy;
  /** Returns the current sandbox of commands. */
  readonly terminalSandbox: () => TerminalSandbox | undefined;
  /** Aborted when the workspace is released. */
  readonly released: AbortSignal;
}

export function workspaceTools(options: WorkspaceToolsOptions): NativeTool[] {
  const { processes, clock, policy, terminalSandbox, released } = options;
  const folder = new WorkspaceFolder(options);
  const threads = new SearchThreads({ clock });
  return [
    readFileTool(folder),
    writeFileTool(folder),
    editFileTool(folder),
    grepTool({ folder, threads, policy }),
    globTool({ folder, threads, policy }),
    terminalTool({ folder, processes, clock, sandbox: terminalSandbox, released }),
  ];
}
