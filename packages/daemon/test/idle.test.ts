/** Checks that nothing wakes a host that nobody uses, except rare timers. */
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { describe, expect, it, onTestFinished } from "vitest";
import { testEnv } from "./helpers/running-host.ts";

const SCRIPT = fileURLToPath(new URL("helpers/idle-timers.mjs", import.meta.url));

/** Returns the delays of all timers of an idle host, in a process of its own. */
async function pendingDelays(kind: "running" | "embedded"): Promise<number[]> {
  const { env, remove } = await testEnv();
  onTestFinished(remove);
  await writeFile(env.PLUGBOARD_CONFIG_PATH, "{}");
  const { command, args } = scriptedLegacy();
  const { stdout } = await promisify(execFile)(process.execPath, [SCRIPT, kind, command, ...args], {
    cwd: env.HOME,
    env,
  });
  const { errors, delays } = JSON.parse(stdout) as { errors: object; delays: number[] };
  expect(errors).toEqual({});
  return delays.toSorted((a, b) => a - b);
}

/** The timers of each server: its next health check, and the time after which its failures are forgotten. */
const OF_SERVERS = [30_000, 30_000, 30_000, 60_000, 60_000, 60_000];
const OF_WATCHED_FILES = 60_000;
/** The interval at which Node's HTTP server looks for requests that take too long. */
const OF_HTTP_SERVER = 10_000;

describe("an idle host with three ready servers", () => {
  it("has only the timers of its servers and of the config when a program embeds it", async () => {
    expect(await pendingDelays("embedded")).toEqual([...OF_SERVERS, OF_WATCHED_FILES]);
  });

  it("has only the timers of its servers, the config, tokens, the socket and HTTP servers when it is a running host", async () => {
    const ofHttpServers = [OF_HTTP_SERVER, OF_HTTP_SERVER, OF_HTTP_SERVER];
    const ofFiles = [OF_WATCHED_FILES, OF_WATCHED_FILES, OF_WATCHED_FILES];
    expect(await pendingDelays("running")).toEqual([...ofHttpServers, ...OF_SERVERS, ...ofFiles]);
  });
});
