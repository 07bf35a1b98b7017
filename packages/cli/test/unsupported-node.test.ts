/** Tests what the command says on a version of Node that it does not support. */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { command, setUp } from "./helpers/run-plugboard.ts";

const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
const oldest = manifest.engines.node.replace(">=", "") as string;

describe("plugboard on an unsupported Node", () => {
  it.each(["16.20.2", "18.20.8", "20.18.3"])("says that Node %s is too old and what to do", async (version) => {
    const ran = await runOn(version, "list");
    expect(ran).toMatchObject({ status: 2, stdout: "" });
    expect(ran.stderr).toBe(
      `plugboard needs Node ${oldest} or later, but this is Node ${version} (${process.execPath}).\n` +
        "Install a newer version from https://nodejs.org or with your version manager, then run the command again.\n",
    );
  });

  it.each([`${oldest}.0`, "22.0.0"])("runs on Node %s", async (version) => {
    expect(await runOn(version, "list")).toMatchObject({ status: 0, stderr: "" });
  });
});

/** Runs the command on the Node of the tests, which reports another version. */
async function runOn(version: string, ...args: readonly string[]) {
  const { cwd, env } = await setUp();
  const preload = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "${version}" } })`;
  const options = ["--import", `data:text/javascript,${encodeURIComponent(preload)}`];
  return new Promise<{ status: number; stdout: string; stderr: string }>((resolve) => {
    execFile(process.execPath, [...options, command, ...args], { cwd, env }, (error, stdout, stderr) =>
      resolve({ status: error ? Number(error.code) : 0, stdout, stderr }),
    );
  });
}
