/** Runs a host in processes of its own, one after another, with the same state folder. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { access, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ownerToken } from "@plugboard/host/tokens";
import { stateFolder } from "@plugboard/store";
import { onTestFinished } from "vitest";
import { testEnv } from "../../../daemon/test/helpers/running-host.ts";

const script = fileURLToPath(new URL("../../../daemon/test/helpers/daemon-process.mjs", import.meta.url));

/** `mcp` is the section of that name in the config. */
export async function startRestartableHost(mcp: object) {
  const { env, remove } = await testEnv();
  const configure = (next: object) => writeFile(env.PLUGBOARD_CONFIG_PATH, JSON.stringify({ mcp: next }));
  let kill = async () => {};
  onTestFinished(async () => {
    await kill();
    await remove();
  });
  const start = async () => {
    const child = spawn(process.execPath, [script], { env, cwd: env.HOME, stdio: ["pipe", "pipe", "inherit"] });
    const exited = once(child, "exit");
    kill = async () => {
      child.kill("SIGKILL");
      await exited;
    };
    const [endpoint] = (await once(child.stdout, "data")) as [Buffer];
    return { url: `${endpoint.toString().trim()}/mcp`, token: await ownerToken(env), env };
  };
  await configure(mcp);
  return {
    host: await start(),
    configure,
    /** Kills the process and starts another one. */
    restart: async () => {
      await kill();
      return start();
    },
    hasState: (name: string) =>
      access(join(stateFolder(env), name)).then(
        () => true,
        () => false,
      ),
  };
}
