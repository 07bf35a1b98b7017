/** Makes the operations as a command without a running host uses them. An operation that needs a host fails. */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { LocalOperations } from "#operations/local-operations.js";
import type { Operations } from "@plugboard/contracts";
import { onTestFinished } from "vitest";
import { testEnv } from "../../../daemon/test/helpers/running-host.ts";

interface OperationsInProcess {
  readonly operations: Operations;
  /** The project folder in which the operations work. */
  readonly cwd: string;
  readonly env: { readonly [name: string]: string };
  readonly files: { readonly user: string; readonly shared: string; readonly project: string };
  /** Writes a config file. */
  write(scope: "user" | "shared" | "project", config: object | string): Promise<void>;
}

/** `shared` is the file `.mcp.json` of the project. */
export async function operationsInProcess(variables: { readonly [name: string]: string } = {}) {
  const { env: ownEnv, remove } = await testEnv();
  onTestFinished(remove);
  const env = { ...ownEnv, ...variables };
  const cwd = join(ownEnv.HOME, "project");
  await mkdir(cwd);
  const files = {
    user: ownEnv.PLUGBOARD_CONFIG_PATH,
    shared: join(cwd, ".mcp.json"),
    project: join(cwd, ".plugboard", "config.json"),
  };
  const openHost = () => Promise.reject(new Error("no host is needed"));
  const all = new LocalOperations({ openHost, clock: { now: () => 0 }, newId: () => "id", script: "plugboard" });
  const made: OperationsInProcess = {
    operations: all.for({}, { cwd, env, configFiles: [] }),
    cwd,
    env,
    files,
    async write(scope, config) {
      await mkdir(dirname(files[scope]), { recursive: true });
      await writeFile(files[scope], typeof config === "string" ? config : JSON.stringify(config));
    },
  };
  await made.write("user", {});
  return made;
}
