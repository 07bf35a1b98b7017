/** Sets up a project folder with a `.mcp.json`, below the home folder. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setUp } from "./run-plugboard.ts";
import type { Setup } from "./run-plugboard.ts";

export interface ProjectSetup extends Setup {
  /** Replaces the servers of the project. */
  define(servers: { readonly [id: string]: object }): Promise<void>;
}

/** The command runs in the project. `config` is the user's file. */
export async function setUpProject(
  servers: { readonly [id: string]: object },
  config: object = {},
): Promise<ProjectSetup> {
  const { cwd: home, env } = await setUp(config);
  const cwd = join(home, "project");
  await mkdir(cwd);
  const define = (mcpServers: object) => writeFile(join(cwd, ".mcp.json"), JSON.stringify({ mcpServers }));
  await define(servers);
  return { cwd, env, define };
}
