/** Tests `npm start`: a host with three servers, and one call through it. */
import { execFile, spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { OutputBuffer } from "@plugboard/testkit/output-buffer";
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
