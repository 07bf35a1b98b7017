/** Makes the operations as a command without a running host uses them, in a temporary home folder. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Operations } from "@plugboard/contracts";
import { createBareHost } from "@plugboard/host/core";
import { LocalOperations } from "#operations/local-operations.js";
import { onTestFinished } from "vitest";
import { testEnv } from "../../../daemon/test/helpers/running-host.ts";

export interface InProcess {
  readonly operations: Operations;
  readonly env: Awaited<ReturnType<typeof testEnv>>["env"];
  readonly home: string;
  /** Returns the operations of another caller. */
  other(): Operations;
  /** Writes a file of the home folder. Returns its path. */
  write(path: string, content: object | string): Promise<string>;
  read(path: string): Promise<string>;
  /** True if an operation has created a host. */
  hasHost(): boolean;
}

export async function operationsInHome(config: object = {}): Promise<InProcess> {
  const { env, remove } = await testEnv();
  onTestFinished(remove);
  const home = env.HOME;
  const cwd = join(home, "project");
  await mkdir(cwd);
  await writeFile(env.PLUGBOARD_CONFIG_PATH, JSON.stringify(config));
  let host: ReturnType<typeof createBareHost> | undefined;
  onTestFinished(async () => (await host)?.close());
  let ids = 0;
  const all = new LocalOperations({
    openHost: () => (host ??= createBareHost({ env })),
    clock: { now: () => 1000 },
    newId: () => `plan-${ids++}`,
    script: "/app/plugboard.js",
  });
  const place = { cwd, env, configFiles: [] };
  return {
    operations: all.for({}, place),
    env,
    home,
    other: () => all.for({}, place),
    async write(path, content) {
      const file = join(home, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, typeof content === "string" ? content : JSON.stringify(content));
      return file;
    },
    read: (path) => readFile(join(home, path), "utf8"),
    hasHost: () => host !== undefined,
  };
}
