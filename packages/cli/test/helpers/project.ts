/** A project folder below a home folder, with the config files of all scopes. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setUp } from "./run-plugboard.ts";
import type { Setup } from "./run-plugboard.ts";

export interface Project extends Setup {
  readonly home: string;
  /** The paths of the config files. */
  readonly files: { readonly user: string; readonly shared: string; readonly project: string; readonly local: string };
  /** Writes a config file. */
  write(scope: keyof Project["files"], config: object | string): Promise<void>;
  /** Returns the text of a config file. */
  read(scope: keyof Project["files"]): Promise<string>;
  /** Returns the servers of a config file, by id. */
  servers(scope: keyof Project["files"]): Promise<{ [id: string]: object }>;
}

/** `shared` is the file `.mcp.json` of the project. */
export async function setUpProject(configs: { [Scope in keyof Project["files"]]?: object } = {}): Promise<Project> {
  const { cwd: home, env } = await setUp(configs.user);
  const cwd = join(home, "project");
  await mkdir(cwd);
  const files = {
    user: env["PLUGBOARD_CONFIG_PATH"]!,
    shared: join(cwd, ".mcp.json"),
    project: join(cwd, ".plugboard", "config.json"),
    local: join(cwd, ".plugboard", "config.local.json"),
  };
  const project: Project = {
    cwd,
    env,
    home,
    files,
    async write(scope, config) {
      await mkdir(dirname(files[scope]), { recursive: true });
      await writeFile(files[scope], typeof config === "string" ? config : JSON.stringify(config, undefined, 2));
    },
    read: (scope) => readFile(files[scope], "utf8"),
    async servers(scope) {
      const { mcp, mcpServers } = JSON.parse(await readFile(files[scope], "utf8")) as {
        mcp?: { servers?: { [id: string]: object } };
        mcpServers?: { [id: string]: object };
      };
      return mcp?.servers ?? mcpServers ?? {};
    },
  };
  for (const scope of ["shared", "project", "local"] as const) {
    if (configs[scope]) await project.write(scope, configs[scope]);
  }
  return project;
}
