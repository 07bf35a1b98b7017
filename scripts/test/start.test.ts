/** Tests `npm start`: a host with three servers, and one call through it. */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { OutputBuffer } from "@plugboard/testkit/output-buffer";
import { expect, it, onTestFinished } from "vitest";

it("npm start runs the host with the bundled servers and reads the example file through it", async () => {
  const script = fileURLToPath(new URL("../start.mjs", import.meta.url));
  const started = spawn(process.execPath, [script, "--port", "0"], { stdio: ["ignore", "pipe", "inherit"] });
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
  started.kill("SIGTERM");
  expect(await exited).toBe(0);
}, 90_000);
