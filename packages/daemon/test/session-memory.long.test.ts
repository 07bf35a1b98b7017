/** Tests that the memory of the host does not grow with the number of sessions that clients have opened. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { Agent, request } from "node:http";
import { fileURLToPath } from "node:url";
import { ownerToken } from "@plugboard/daemon";
import { expect, it, onTestFinished } from "vitest";
import { testEnv } from "./helpers/running-host.ts";

const [WARM_UP, TOTAL] = [10_000, 100_000];
const MIB = 1024 * 1024;

async function startDaemonProcess() {
  const { env, remove } = await testEnv();
  await writeFile(env.PLUGBOARD_CONFIG_PATH, "{}");
  const script = fileURLToPath(new URL("./helpers/daemon-process.mjs", import.meta.url));
  const child = spawn(process.execPath, [script], { env, cwd: env.HOME, stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(async () => {
    child.stdin.end();
    if (child.exitCode === null) await once(child, "exit");
    await remove();
  });
  const [endpoint] = (await Promise.race([once(child.stdout, "data"), once(child, "exit")])) as [unknown];
  return { endpoint: String(endpoint).trim(), pid: child.pid!, token: await ownerToken(env) };
}

async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)![1]) * 1024;
}

it.runIf(process.platform === "linux")(
  "memory stays bounded while clients initialize sessions that they never close",
  { meta: { covers: ["S18"] }, timeout: 600_000 },
  async () => {
    const { endpoint, pid, token } = await startDaemonProcess();
    const agent = new Agent({ keepAlive: true, maxSockets: 16 });
    onTestFinished(() => agent.destroy());
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "x", version: "1" } };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params });
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const send = (method: string, more: { readonly [name: string]: string } = {}, sent?: string) =>
      new Promise<{ status: number; session: string | undefined }>((resolve, reject) => {
        const sending = request(`${endpoint}/mcp`, { method, agent, headers: { ...headers, ...more } }, (response) => {
          const session = response.headers["mcp-session-id"];
          response.resume().once("end", () => resolve({ status: response.statusCode!, session: session as string }));
        });
        sending.once("error", reject).end(sent);
      });
    const statuses = new Map<number, number>();
    let count = 0;
    /** Every other client ends its session. From the thousandth session that stays open on, sessions are refused. */
    const initializeUntil = async (total: number) => {
      const client = async () => {
        while (count < total) {
          count += 1;
          const endsSession = count % 2 === 0;
          const { status, session } = await send("POST", {}, body);
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
          if (endsSession && session !== undefined) await send("DELETE", { "mcp-session-id": session });
        }
      };
      await Promise.all(Array.from({ length: 16 }, client));
    };
    await initializeUntil(WARM_UP);
    const before = await residentBytes(pid);
    await initializeUntil(TOTAL);
    const after = await residentBytes(pid);
    expect(after - before).toBeLessThan(30 * MIB);
    expect([...statuses.keys()].toSorted((a, b) => a - b)).toEqual([200, 429]);
    expect(statuses.get(200)! + statuses.get(429)!).toBe(TOTAL);
  },
);
