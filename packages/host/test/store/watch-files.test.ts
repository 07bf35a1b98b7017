import { mkdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { watchFiles } from "#store/watch-files.js";
import { systemClock } from "@plugboard/mcp";
import type { Clock } from "@plugboard/mcp";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { ManualClock } from "../../../mcp/test/helpers/manual-clock.ts";
import { runChild, temporaryFolder } from "../helpers/run-child.ts";

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await temporaryFolder();
  file = join(folder, "config.json");
});

/** Time as it is, but for the slow looks, which would find everything in the end. */
const reportsOnly: Clock = {
  ...systemClock,
  after: (ms, run, background) => (ms >= 1000 ? () => {} : systemClock.after(ms, run, background)),
};

describe("it is told when a file", () => {
  it("appears, changes and goes away", async () => {
    const { told } = watching([file], reportsOnly);
    await told(() => writeFile(file, "1"));
    await told(() => writeFile(file, "2"));
    await told(() => rm(file));
  });

  it("is replaced by another, of the same size", async () => {
    await writeFile(file, "1");
    const { told } = watching([file], reportsOnly);
    await writeFile(`${file}.new`, "2");
    await told(() => rename(`${file}.new`, file));
  });

  it("appears in a folder that was not there, and whose folder was not either", async () => {
    const deep = join(folder, "a", "b", "config.json");
    const { told } = watching([deep], reportsOnly);
    await told(async () => {
      await mkdir(join(folder, "a", "b"), { recursive: true });
      await writeFile(deep, "1");
    });
    await told(() => rm(join(folder, "a"), { recursive: true }));
    await told(async () => {
      await mkdir(join(folder, "a", "b"), { recursive: true });
      await writeFile(deep, "2");
    });
    await told(() => writeFile(deep, "3"));
  });

  it("changes in a folder that was put in the place of another", async () => {
    await mkdir(join(folder, "a"));
    await mkdir(join(folder, "b"));
    const inner = join(folder, "a", "config.json");
    const { told } = watching([inner], reportsOnly);
    await told(async () => {
      await rename(join(folder, "a"), join(folder, "old"));
      await rename(join(folder, "b"), join(folder, "a"));
      await writeFile(inner, "1");
    });
    await told(() => writeFile(inner, "2"));
  });

  it("that a link leads to changes, and when the link leads elsewhere", async () => {
    for (const name of ["one", "two"]) {
      await mkdir(join(folder, name));
      await writeFile(join(folder, name, "real.json"), "1");
    }
    await symlink(join(folder, "one", "real.json"), file);
    const { told } = watching([file], reportsOnly);
    await told(() => writeFile(join(folder, "one", "real.json"), "2"));
    await told(async () => {
      await symlink(join(folder, "two", "real.json"), join(folder, "link"));
      await rename(join(folder, "link"), file);
    });
    await told(() => writeFile(join(folder, "two", "real.json"), "2"));
  });

  it("of several does", async () => {
    const other = join(folder, "other.json");
    const { told } = watching([file, other, file], reportsOnly);
    await told(() => writeFile(other, "1"));
    await told(() => writeFile(file, "1"));
  });
});

it("a burst of changes is told once, and what is beside the file is not", async () => {
  const clock = new ManualClock();
  const { times } = watching([file], clock);
  await writeFile(join(folder, "other"), "1");
  await vi.waitFor(() => expect(clock.pendingTimers).toBe(2));
  for (const text of ["1", "22", "333"]) await writeFile(file, text);
  expect(times()).toBe(0);
  clock.advance(50);
  await vi.waitFor(() => expect(times()).toBe(1));
  await writeFile(join(folder, "other"), "2");
  await vi.waitFor(() => expect(clock.pendingTimers).toBe(2));
  clock.advance(500);
  await writeFile(file, "4444");
  await vi.waitFor(() => expect(clock.pendingTimers).toBe(2));
  clock.advance(50);
  await vi.waitFor(() => expect(times()).toBe(2));
});

it("what goes on without a pause is told all the same", async () => {
  const clock = new ManualClock();
  const { times } = watching([file], clock);
  for (let passed = 0; times() === 0; passed += 40) {
    expect(passed).toBeLessThan(2000);
    await writeFile(file, String(passed));
    await vi.waitFor(() => expect(clock.pendingTimers).toBe(2));
    clock.advance(40);
    await new Promise((resolve) => setImmediate(resolve));
  }
});

it("what the system does not report is found by looking", async () => {
  const clock = new ManualClock();
  await mkdir(join(folder, "hidden"));
  await mkdir(join(folder, "far"));
  for (const name of ["1", "2"]) await writeFile(join(folder, "far", name), name);
  // Only the first and the last of a chain of links are watched.
  await symlink(join(folder, "far", "1"), join(folder, "hidden", "link"));
  await symlink(join(folder, "hidden", "link"), file);
  const { times } = watching([file], clock);
  await symlink(join(folder, "far", "2"), join(folder, "hidden", "new"));
  await rename(join(folder, "hidden", "new"), join(folder, "hidden", "link"));
  clock.advance(5000);
  await vi.waitFor(() => expect(times()).toBe(1));
});

it("after it is stopped nothing is told, and nothing is left of it", async () => {
  const clock = new ManualClock();
  const { times, stop } = watching([file], clock);
  await writeFile(file, "1");
  await vi.waitFor(() => expect(clock.pendingTimers).toBe(2));
  stop();
  expect(clock.pendingTimers).toBe(0);
  expect(times()).toBe(0);
});

it("a process ends though it watches", async () => {
  const { code } = await runChild(`
    import { watchFiles } from "#store/watch-files.js";
    watchFiles([${JSON.stringify(file)}], () => {});`);
  expect(code).toBe(0);
});

it("where the system allows no more watchers it looks again and again, and the process may still end", async () => {
  const { code, output } = await runChild(
    `
    import { closeSync, openSync, writeFileSync } from "node:fs";
    import { watchFiles } from "#store/watch-files.js";
    const held = [];
    try { for (;;) held.push(openSync("/dev/null")); } catch {}
    const alive = setTimeout(() => {}, 15000);
    watchFiles([${JSON.stringify(file)}], () => (clearTimeout(alive), process.stdout.write("told")));
    held.forEach((fd) => closeSync(fd));
    writeFileSync(${JSON.stringify(file)}, "1");`,
    "ulimit -n 64;",
  );
  expect({ code, said: output }).toEqual({ code: 0, said: "told" });
});

function watching(paths: string[], clock: Clock) {
  let count = 0;
  let heard = () => {};
  const onChange = () => {
    count++;
    heard();
  };
  const watch = watchFiles(paths, onChange, { clock });
  const stop = () => watch.stop();
  onTestFinished(stop);
  return {
    stop,
    times: () => count,
    /** Does something, and waits until it is told. */
    async told(change: () => Promise<unknown>) {
      const next = new Promise<void>((resolve) => (heard = resolve));
      await change();
      await next;
    },
  };
}
