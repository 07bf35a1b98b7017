/** Creates a workspace folder and a folder outside of it that no tool may reach. Runs the native tools there. */
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { TerminalSandbox } from "#native/terminal-tool.js";
import { workspaceTools } from "#native/workspace-tools.js";
import { Policy } from "#policy/policy.js";
import type { NativeTool } from "#tools/native-tool.js";
import { isText, systemClock } from "@plugboard/contracts";
import type { JsonObject, ToolResult } from "@plugboard/contracts";
import { Processes } from "@plugboard/mcp/process";
import { onTestFinished } from "vitest";

export interface WorkspaceFiles {
  readonly root: string;
  readonly folder: string;
  /** A folder next to the workspace with the file `secret.txt`. */
  readonly outside: string;
  readonly stateFolder: string;
  readonly released: AbortController;
  write(path: string, content: string | Uint8Array): Promise<string>;
  tool(name: string): NativeTool;
  run(name: string, args: JsonObject, signal?: AbortSignal): Promise<{ text: string; isError: boolean }>;
  preview(name: string, args: JsonObject): Promise<string>;
}

const caller = { kind: "chat", id: "c" } as const;

/** `files` has the content of each file by its path relative to the workspace. */
export async function makeWorkspaceFiles(
  files: { readonly [path: string]: string | Uint8Array } = {},
  {
    policy = new Policy([]),
    terminalSandbox,
  }: { policy?: Policy; terminalSandbox?: (folder: string) => TerminalSandbox } = {},
): Promise<WorkspaceFiles> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "plugboard-files-")));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const [folder, outside] = [join(root, "work"), join(root, "outside")];
  const stateFolder = join(folder, "state");
  const write = async (path: string, content: string | Uint8Array) => {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
    return file;
  };
  await mkdir(folder);
  await mkdir(outside);
  await writeFile(join(outside, "secret.txt"), "top secret");
  for (const [path, content] of Object.entries(files)) await write(path, content);
  const released = new AbortController();
  const processes = new Processes(systemClock);
  onTestFinished(() => processes.stopAll());
  let ids = 0;
  const tools = workspaceTools({
    folder,
    stateFolder,
    configFiles: () => [join(folder, "user-config.json"), join(folder, ".mcp.json")],
    processes,
    clock: systemClock,
    policy: () => policy,
    terminalSandbox: () => terminalSandbox?.(folder),
    newId: () => `id${ids++}`,
    released: released.signal,
  });
  const tool = (name: string) => tools.find((candidate) => candidate.name === name)!;
  return {
    root,
    folder,
    outside,
    stateFolder,
    released,
    write,
    tool,
    run: async (name, args, signal) => toText(await tool(name).run(args, { caller, signal })),
    preview: async (name, args) => (await tool(name).preview?.(args, { caller })) ?? "",
  };
}

function toText({ content, isError = false }: ToolResult): { text: string; isError: boolean } {
  return { text: content.map((block) => (isText(block) ? block.text : "")).join("\n"), isError };
}
