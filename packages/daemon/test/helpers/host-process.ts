/** Runs a host in a process of its own, with chats that use a scripted model. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { HostApi, HostEvent } from "@plugboard/contracts";
import { VERSION } from "@plugboard/host";
import { socketPath } from "@plugboard/store";
import { connectRemote } from "@plugboard/remote";
import { nodeHttpFetch } from "@plugboard/remote/node";
import { startModelServer } from "@plugboard/testkit/model-server";
import type { ScriptedAnswer } from "@plugboard/testkit/model-server";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { onTestFinished } from "vitest";
import { testEnv } from "./running-host.ts";

export async function setup(...script: readonly ScriptedAnswer[]) {
  const model = await startModelServer(...script);
  const { env, remove } = await testEnv();
  await writeFile(env.PLUGBOARD_CONFIG_PATH, "{}");
  const cwd = await mkdtemp(join(tmpdir(), "plugboard-chat-"));
  onTestFinished(async () => {
    await model.close();
    await remove();
    await rm(cwd, { recursive: true });
  });
  const variables = { PLUGBOARD_MODEL: "anthropic/scripted", ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: model.url };
  const options = { env: variables, servers: { s: scriptedLegacy() }, permissions: { allow: ["*"] } };
  return { model, env, cwd, options };
}

/** Starts a host in a process of its own, and connects to it. */
export async function startHost(env: { readonly [name: string]: string }) {
  const script = fileURLToPath(new URL("./daemon-process.mjs", import.meta.url));
  const child = spawn(process.execPath, [script], { env, cwd: env["HOME"], stdio: ["pipe", "pipe", "inherit"] });
  const exited = once(child, "exit");
  await Promise.race([once(child.stdout, "data"), exited]);
  const fetch = nodeHttpFetch({ socketPath: socketPath(env) });
  const api = await connectRemote({ fetch, version: VERSION, kind: "cli", attended: true });
  const kill = async () => {
    child.kill("SIGKILL");
    await exited;
  };
  onTestFinished(async () => {
    await api.close().catch(() => {});
    await kill();
  });
  return { api, pid: child.pid!, kill };
}

export async function waitFor(api: HostApi, seq: number, matches: (event: HostEvent) => boolean): Promise<void> {
  for await (const event of api.events(seq)) if (matches(event)) return;
}

export function isChatEvent(type: string): (event: HostEvent) => boolean {
  return (event) => event.type === "chat.event" && event.event.type === type;
}
