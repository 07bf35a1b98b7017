/** Runs a host in a process of its own, to measure its memory. Linux only. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { Agent, request } from "node:http";
import { fileURLToPath } from "node:url";
import { ownerToken } from "@plugboard/host/tokens";
import { onTestFinished } from "vitest";
import { testEnv } from "./running-host.ts";

interface MeasuredReply {
  readonly status: number;
  readonly session: string | undefined;
  readonly text: string;
}

export interface MeasuredHost {
  /** Returns the resident memory of the host. */
  residentBytes(): Promise<number>;
  /** Sends a request to the gateway, over connections that are kept open. */
  send(method: string, headers?: { readonly [name: string]: string }, message?: object): Promise<MeasuredReply>;
}

export const MIB = 1024 * 1024;
const CONNECTIONS = 16;

export async function startMeasuredHost(config: object): Promise<MeasuredHost> {
  const { env, remove } = await testEnv();
  await writeFile(env.PLUGBOARD_CONFIG_PATH, JSON.stringify(config));
  const script = fileURLToPath(new URL("./daemon-process.mjs", import.meta.url));
  const child = spawn(process.execPath, [script], { env, cwd: env.HOME, stdio: ["pipe", "pipe", "inherit"] });
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  onTestFinished(async () => {
    agent.destroy();
    child.stdin.end();
    if (child.exitCode === null) await once(child, "exit");
    await remove();
  });
  const [endpoint] = (await Promise.race([once(child.stdout, "data"), once(child, "exit")])) as [unknown];
  const url = `${String(endpoint).trim()}/mcp`;
  const authorization = `Bearer ${await ownerToken(env)}`;
  return {
    async residentBytes() {
      const status = await readFile(`/proc/${child.pid}/status`, "utf8");
      return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)![1]) * 1024;
    },
    send: (method, more = {}, message) =>
      new Promise((resolve, reject) => {
        const headers = { authorization, "content-type": "application/json", ...more };
        const sending = request(url, { method, agent, headers }, (response) => {
          let text = "";
          const session = response.headers["mcp-session-id"] as string | undefined;
          response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
          response.once("end", () => resolve({ status: response.statusCode!, session, text }));
        });
        sending.once("error", reject).end(message && JSON.stringify(message));
      }),
  };
}

/** Calls `run` this many times. As many calls run at once as there are connections. */
export async function repeat(times: number, run: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < times) await run(next++);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
}

const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "x", version: "1" } };
export const INITIALIZE = { jsonrpc: "2.0", id: 1, method: "initialize", params };
