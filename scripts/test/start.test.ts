/** Tests `npm start`: a host with three servers, and one call through it. */
import { execFile, spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { OutputBuffer } from "@plugboard/testkit/output-buffer";
import { childrenOf, isAlive, waitUntilDead } from "@plugboard/testkit/process-alive";
import { expect, it, onTestFinished } from "vitest";

const script = fileURLToPath(new URL("../start.mjs", import.meta.url));

it("npm start runs the host with the bundled servers and reads the example file through it", async () => {
  const state = await mkdtemp(join(tmpdir(), "plugboard-demo-"));
  onTestFinished(() => rm(state, { recursive: true }));
  const config = join(state, "config.json");
  const added = JSON.stringify({ mcp: { permissions: { deny: ["memory:delete_*"] } } });
  await writeFile(config, added);
  const env = { ...process.env, PLUGBOARD_DEMO_STATE: state };
  const started = spawn(process.execPath, [script, "--port", "0"], { env, stdio: ["ignore", "pipe", "inherit"] });
  const exited = new Promise<number | null>((resolve) => started.once("exit", resolve));
  onTestFinished(() => void started.kill("SIGTERM"));
  const output = new OutputBuffer();
  started.stdout.on("data", (chunk: Buffer) => output.append(chunk.toString()));

  await output.waitFor("This text was read by the filesystem server", 60_000);
  for (const server of ["everything", "files", "memory"]) {
    await output.waitFor(new RegExp(`${server}: ready, \\d+ tools`), 60_000);
  }
  const endpoint = /running at (\S+)/.exec(output.text)![1]!;
  expect((await fetch(`${endpoint}/healthz`)).status).toBe(200);
  expect((await fetch(`${endpoint}/mcp`)).status).toBe(401);
  const { stdout } = await promisify(execFile)(process.execPath, [script, "ui", "--no-open"], { env });
  expect(stdout).toMatch(/http:\/\/127\.0\.0\.1:\d+\/#code=/);
  started.kill("SIGTERM");
  expect(await exited).toBe(0);
  expect(await readFile(config, "utf8"), "what the user has added").toBe(added);
}, 90_000);

it.each(["SIGTERM", "SIGKILL"] as const)(
  "npm start leaves no process behind when %s ends npm, without a terminal",
  async (signal) => {
    const state = await mkdtemp(join(tmpdir(), "plugboard-demo-"));
    onTestFinished(() => rm(state, { recursive: true }));
    const env = { ...process.env, PLUGBOARD_DEMO_STATE: state };
    const npm = spawn("npm", ["start", "--", "--port", "0"], {
      cwd: fileURLToPath(new URL("../..", import.meta.url)),
      env,
      detached: true,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const output = new OutputBuffer();
    npm.stdout.on("data", (chunk: Buffer) => output.append(chunk.toString()));
    await output.waitFor("To use this host from another terminal", 60_000);
    const pids = [npm.pid!, ...descendantsOf(npm.pid!)];
    onTestFinished(() => pids.filter(isAlive).forEach((pid) => void process.kill(pid, "SIGKILL")));
    // At least npm, scripts/start.mjs and the host.
    expect(pids.length).toBeGreaterThanOrEqual(3);
    npm.kill(signal);
    for (const pid of pids) await waitUntilDead(pid, 20_000);
  },
  120_000,
);

function descendantsOf(pid: number): number[] {
  return childrenOf(pid).flatMap((child) => [child, ...descendantsOf(child)]);
}
