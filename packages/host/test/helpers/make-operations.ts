/** Makes the operations for a project folder, without a running host. An operation that needs a host fails. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Operations, ServerEntry } from "@plugboard/contracts";
import { LocalOperations } from "#operations/local-operations.js";
import { vi } from "vitest";
import { makeTestHome } from "./embedded-host.ts";

type FileName = "user" | "shared" | "project" | "local" | "given";

export interface OperationsProject {
  readonly cwd: string;
  readonly files: { readonly [Name in FileName]: string };
  readonly operations: Operations;
  write(name: FileName, config: object | string): Promise<void>;
  /** Returns the servers of a file that has them under `mcp.servers`. */
  servers(name: FileName): Promise<{ readonly [id: string]: ServerEntry }>;
}

/** `shared` is the file `.mcp.json` of the project. `given` is a file that `--config` names. */
export async function makeOperations(
  configs: { readonly [Name in FileName]?: object | string } = {},
): Promise<OperationsProject> {
  const { root, cwd, env } = await makeTestHome();
  // The search for a project ends at the home folder of the process.
  vi.stubEnv("HOME", root);
  const files = {
    user: join(root, "user.json"),
    shared: join(cwd, ".mcp.json"),
    project: join(cwd, ".plugboard", "config.json"),
    local: join(cwd, ".plugboard", "config.local.json"),
    given: join(root, "given.json"),
  };
  const write = async (name: FileName, config: object | string) => {
    await mkdir(dirname(files[name]), { recursive: true });
    await writeFile(files[name], typeof config === "string" ? config : JSON.stringify(config));
  };
  for (const [name, config] of Object.entries(configs)) await write(name as FileName, config);
  const openHost = () => Promise.reject(new Error("the operation needs a host"));
  let ids = 0;
  const newId = () => String(ids++);
  const host = new LocalOperations({ openHost, clock: { now: () => 0 }, newId, script: "/plugboard.js" });
  const place = {
    cwd,
    env: { ...env, PLUGBOARD_CONFIG_PATH: files.user },
    configFiles: configs.given === undefined ? [] : [files.given],
  };
  return {
    cwd,
    files,
    operations: host.for({}, place),
    write,
    servers: async (name) => {
      const text = await readFile(files[name], "utf8");
      return (JSON.parse(text) as { mcp: { servers: { [id: string]: ServerEntry } } }).mcp.servers;
    },
  };
}

/** Returns a config with these servers. */
export function withServers(servers: { readonly [id: string]: object }): object {
  return { mcp: { servers } };
}
