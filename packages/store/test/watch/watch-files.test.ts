import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { watchFiles } from "#watch/watch-files.js";
import { systemClock } from "@plugboard/contracts";
import type { Clock } from "@plugboard/contracts";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { ManualClock } from "../../../contracts/test/helpers/manual-clock.ts";
import { runChild, temporaryFolder } from "../helpers/run-child.ts";

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await temporaryFolder();
  file = join(folder, "config.json");
});

/** A real clock that never runs the slow polls, so that a change is reported only through events of the system. */
const clockWithoutPolls: Clock = {
  ...systemClock,
  after: (ms, run, options) => (ms >= 1000 ? () => {} : systemClock.after(ms, run, options)),
};

describe("watchFiles", () => {
  it("reports a file that appears, changes and disappears", async () => {
    const { expectReport } = watching([file], clockWithoutPolls);
    await expectReport(() => writeFile(file, "1"));
    await expectReport(() => writeFile(file, "2"));
    await expectReport(() => rm(file));
  });

  it("reports a file that is replaced by another of the same size", async () => {
    await writeFile(file, "1");
    const { expectReport } = watching([file], clockWithoutPolls);
    await writeFile(`${file}.new`, "2");
    await expectReport(() => rename(`${file}.new`, file));
  });

  it("reports a file that appears in a folder whose parents did not exist", async () => {
    const deep = join(folder, "a", "b", "config.json");
    const { expectReport } = watching([deep], clockWithoutPolls);
    await expectReport(async () => {
      await mkdir(join(folder, "a", "b"), { recursive: true });
      await writeFile(deep, "1");
    });
    await expectReport(() => rm(join(folder, "a"), { recursive: true }));
    await expectReport(async () => {
      await mkdir(join(folder, "a", "b"), { recursive: true });
      await writeFile(deep, "2");
    });
    await expectReport(() => writeFile(deep, "3"));
  });

  it("reports changes of a file in a folder that has replaced another folder", async () => {
    await mkdir(join(folder, "a"));
    await mkdir(join(folder, "b"));
    const inner = join(folder, "a", "config.json");
    const { expectReport } = watching([inner], clockWithoutPolls);
    await expectReport(async () => {
      await rename(join(folder, "a"), join(folder, "old"));
      await rename(join(folder, "b"), join(folder, "a"));
      await writeFile(inner, "1");
    });
    await expectReport(() => writeFile(inner, "2"));
  });

  it("reports a watched link if its target changes or the link is replaced", async () => {
    for (const name of ["one", "two"]) {
      await mkdir(join(folder, name));
      await writeFile(join(folder, name, "real.json"), "1");
    }
    await symlink(join(folder, "one", "real.json"), file);
    const { expectReport } = watching([file], clockWithoutPolls);
    await expectReport(() => writeFile(join(folder, "one", "real.json"), "2"));
    await expectReport(async () => {
      await symlink(join(folder, "two", "real.json"), join(folder, "link"));
      await rename(join(folder, "link"), file);
    });
    await expectReport(() => writeFile(join(folder, "two", "real.json"), "2"));
  });

  it("reports a link that is replaced in the middle of a chain of links, or in the path of the folder", async () => {
    for (const name of ["one", "two"]) {
      await mkdir(join(folder, name));
      await writeFile(join(folder, name, "config.json"), name);
    }
    await mkdir(join(folder, "hidden"));
    await symlink("../one", join(folder, "hidden", "link"));
    await symlink(join(folder, "hidden", "link"), join(folder, "linked"));
    await symlink(join(folder, "linked", "config.json"), file);
    const { expectReport } = watching([file], clockWithoutPolls);
    await expectReport(async () => {
      await symlink("../two", join(folder, "hidden", "new"));
      await rename(join(folder, "hidden", "new"), join(folder, "hidden", "link"));
    });
    await expectReport(() => writeFile(join(folder, "two", "config.json"), "changed"));
    await expectReport(async () => {
      await symlink(join(folder, "one"), join(folder, "new"));
      await rename(join(folder, "new"), join(folder, "linked"));
    });
    await expectReport(() => writeFile(join(folder, "one", "config.json"), "changed"));
  });

  it("reports changes of each of several files", async () => {
    const other = join(folder, "other.json");
    const { expectReport } = watching([file, other, file], clockWithoutPolls);
    await expectReport(() => writeFile(other, "1"));
    await expectReport(() => writeFile(file, "1"));
  });
});

it("watchFiles reports a burst of changes once, and ignores neighbouring files", async () => {
  const clock = new ManualClock();
  const { reportCount } = watching([file], clock);
  await writeFile(join(folder, "other"), "1");
  await vi.waitFor(() => expect(clock.pendingTimers).toBe(2));
  for (const text of ["1", "22", "333"]) await writeFile(file, text);
  expect(reportCount()).toBe(0);
  clock.advance(50);
  await vi.waitFor(() => expect(reportCount()).toBe(1));
  await writeFile(join(folder, "other"), "2");
  await vi.waitFor(() => expect(clock.pendingTimers).toBe(2));
  clock.advance(500);
  await writeFile(file, "4444");
  await vi.waitFor(() => expect(clock.pendingTimers).toBe(2));
  clock.advance(50);
  await vi.waitFor(() => expect(reportCount()).toBe(2));
});

it("watchFiles reports a change even if the file changes again and again without a pause", async () => {
  const clock = new ManualClock();
  const { reportCount } = watching([file], clock);
  for (let passed = 0; reportCount() === 0; passed += 40) {
    expect(passed).toBeLessThan(2000);
    await writeFile(file, String(passed));
    await vi.waitFor(() => expect(clock.pendingTimers).toBe(2));
    clock.advance(40);
    await new Promise((resolve) => setImmediate(resolve));
  }
});

it("watchFiles checks once a minute for changes that the system does not report", async () => {
  const clock = new ManualClock();
  await mkdir(join(folder, "up", "inner"), { recursive: true });
  const inner = join(folder, "up", "inner", "config.json");
  await writeFile(inner, "1");
  const { reportCount } = watching([inner], clock);
  // The system does not report this, because only the folder of the file is watched and not the folders above it.
  await rename(join(folder, "up"), join(folder, "old"));
  expect(clock.pendingDelays).toEqual([60_000]);
  clock.advance(60_000);
  await vi.waitFor(() => expect(reportCount()).toBe(1));
});

it("watchFiles checks every five seconds on a file system that may not report changes", async () => {
  const clock = new ManualClock();
  const child = spawn("sleep", ["60"]);
  onTestFinished(() => void child.kill());
  await once(child, "spawn");
  const { reportCount } = watching([`/proc/${child.pid}/status`], clock);
  child.kill();
  await once(child, "exit");
  expect(clock.pendingDelays).toEqual([5000]);
  clock.advance(5000);
  await vi.waitFor(() => expect(reportCount()).toBe(1));
});

it("watchFiles reports nothing after stop, and cancels its timers", async () => {
  const clock = new ManualClock();
  const { reportCount, stop } = watching([file], clock);
  await writeFile(file, "1");
  await vi.waitFor(() => expect(clock.pendingTimers).toBe(2));
  stop();
  expect(clock.pendingTimers).toBe(0);
  expect(reportCount()).toBe(0);
});

it("watchFiles does not keep the process alive", async () => {
  const { code } = await runChild(`
    import { watchFiles } from "#watch/watch-files.js";
    watchFiles([${JSON.stringify(file)}], () => {});`);
  expect(code).toBe(0);
});

it("watchFiles polls if the system allows no more watchers, and still does not keep the process alive", async () => {
  const { code, output } = await runChild(
    `
    import { closeSync, openSync, writeFileSync } from "node:fs";
    import { watchFiles } from "#watch/watch-files.js";
    const descriptors = [];
    try { for (;;) descriptors.push(openSync("/dev/null")); } catch {}
    const alive = setTimeout(() => {}, 15000);
    watchFiles([${JSON.stringify(file)}], () => (clearTimeout(alive), process.stdout.write("changed")));
    descriptors.forEach((fd) => closeSync(fd));
    writeFileSync(${JSON.stringify(file)}, "1");`,
    "ulimit -n 64;",
  );
  expect({ code, output }).toEqual({ code: 0, output: "changed" });
});

function watching(paths: string[], clock: Clock) {
  let count = 0;
  let notify = () => {};
  const onChange = () => {
    count++;
    notify();
  };
  const watch = watchFiles(paths, onChange, { clock });
  const stop = () => watch.stop();
  onTestFinished(stop);
  return {
    stop,
    reportCount: () => count,
    /** Runs an action and waits until the change is reported. */
    async expectReport(change: () => Promise<unknown>) {
      const next = new Promise<void>((resolve) => (notify = resolve));
      await change();
      await next;
    },
  };
}
