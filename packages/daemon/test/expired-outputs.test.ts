import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { startDaemon } from "#daemon.js";

it("a host deletes long results that are over a week old when it starts", async () => {
  const home = await mkdtemp(join(tmpdir(), "plugboard-outputs-"));
  onTestFinished(() => rm(home, { recursive: true }));
  const outputs = join(home, "plugboard", "outputs");
  await mkdir(outputs, { recursive: true, mode: 0o700 });
  const [old, recent] = ["0".repeat(32), "1".repeat(32)].map((id) => `${id}.txt`) as [string, string];
  for (const name of [old, recent]) await writeFile(join(outputs, name), "x");
  const eightDaysAgo = Date.now() / 1000 - 8 * 24 * 3600;
  await utimes(join(outputs, old), eightDaysAgo, eightDaysAgo);
  const daemon = await startDaemon({ env: { HOME: home, XDG_STATE_HOME: home } });
  onTestFinished(() => daemon.stop());
  await expect.poll(() => readdir(outputs)).toEqual([recent]);
});
