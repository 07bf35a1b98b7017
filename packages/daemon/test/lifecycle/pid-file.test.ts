/** Tests that `readPidFile` returns no process id for a text that can't be that of a host. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readPidFile } from "@plugboard/daemon";
import { expect, it, onTestFinished } from "vitest";
import { testEnv } from "../helpers/running-host.ts";

it.each([
  ["2\n", 2],
  ["4194304\n", 4_194_304],
  // The first process of the system is no host.
  ["1\n", undefined],
  ["0\n", undefined],
  ["-7\n", undefined],
  // The file was not written completely: the line break is missing.
  ["419", undefined],
  ["", undefined],
])("readPidFile reads %j as %j", async (text, pid) => {
  const { env, remove } = await testEnv();
  onTestFinished(remove);
  const folder = join(env.XDG_STATE_HOME, "plugboard");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "host.pid"), text);
  expect(await readPidFile(env)).toBe(pid);
});
