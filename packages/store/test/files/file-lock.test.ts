import { execFileSync } from "node:child_process";
import { open, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { withLock } from "#files/file-lock.js";
import { currentProcessHolder } from "#files/lock-holder.js";
import { beforeEach, describe, expect, it } from "vitest";
import { runChild, temporaryFolder } from "../helpers/run-child.ts";

const TOKEN = "0123456789abcdef";
let folder: string;
let file: string;
beforeEach(async () => {
  folder = await temporaryFolder();
  file = join(folder, "counter");
});

describe("withLock", () => {
  it("runs only one task at a time within a process", async () => {
    let inside = 0;
    const works = Array.from({ length: 20 }, () =>
      withLock(file, async () => {
        expect(++inside).toBe(1);
        await readdir(folder);
        inside--;
      }),
    );
    await Promise.all(works);
    expect(await readdir(folder)).toEqual([]);
  });

  it("releases the lock if the task throws, and rejects with the same error", async () => {
    expect(await withLock(file, async () => 7)).toBe(7);
    await expect(withLock(file, () => Promise.reject(new RangeError("no")))).rejects.toThrow(RangeError);
    expect(await readdir(folder)).toEqual([]);
  });

  it("runs only one task at a time across processes, even if some are killed", { timeout: 60_000 }, async () => {
    await writeFile(file, "0");
    const count = runChild(program("for (let i = 0; i < 25; i++) await withLock(file, add);"));
    const die = runChild(program("await withLock(file, async () => process.kill(process.pid, 'SIGKILL'));"));
    const ended = await Promise.all([count, die, ...[1, 2, 3].map(() => runChild(program(COUNT_THEN_DIE)))]);
    expect(ended.map(({ output }) => output)).toEqual(["", "", "", "", ""]);
    expect(ended[1].signal).toBe("SIGKILL");
    expect(await readFile(file, "utf8")).toBe("85");
    await withLock(file, async () => {});
    expect(await readdir(folder)).toEqual(["counter"]);
  });
});

describe("withLock with an existing lock", () => {
  it(
    "lets exactly one of the waiting processes take over the lock of a killed process",
    { timeout: 60_000 },
    async () => {
      await writeFile(file, "0");
      const { signal } = await runChild(
        program("await withLock(file, async () => process.kill(process.pid, 'SIGKILL'));"),
      );
      expect(signal).toBe("SIGKILL");
      expect(await readdir(folder)).toEqual(["counter", "counter.lock"]);
      let inside = 0;
      const works = Array.from({ length: 30 }, () =>
        withLock(file, async () => {
          expect(++inside).toBe(1);
          await readdir(folder);
          inside--;
        }),
      );
      await Promise.all(works);
      expect(await readdir(folder)).toEqual(["counter"]);
    },
  );

  it("takes over the lock of a dead process even if another process was killed during a takeover", async () => {
    const gone = { ...currentProcessHolder(TOKEN), pid: 2 ** 22 + 1 };
    await writeFile(`${file}.lock`, JSON.stringify(gone));
    await writeFile(`${file}.lock.${TOKEN}`, JSON.stringify({ ...gone, token: "fedcba9876543210" }));
    expect(await withLock(file, async () => "mine")).toBe("mine");
    expect(await readdir(folder)).toEqual([]);
  });

  it.skipIf(process.platform === "win32")(
    "does not take over a lock that another process has already taken over",
    async () => {
      const lock = `${file}.lock`;
      // The lock is a pipe at first, so that the late attempt blocks while it reads the name of the holder.
      execFileSync("mkfifo", [lock]);
      let entered = false;
      const lateAttempt = withLock(file, async () => void (entered = true));
      const pipe = await open(lock, "w");
      await writeFile(join(folder, "new"), JSON.stringify(currentProcessHolder("fedcba9876543210")));
      await rename(join(folder, "new"), lock);
      await pipe.writeFile(JSON.stringify({ ...currentProcessHolder(TOKEN), pid: 2 ** 22 + 1 }));
      await pipe.close();
      await expect(withLock(file, async () => {}, { timeoutMs: 100 })).rejects.toMatchObject({ code: "STORE_BUSY" });
      expect(entered).toBe(false);
      await rm(lock);
      await lateAttempt;
      expect(await readdir(folder)).toEqual([]);
    },
  );

  it.skipIf(process.platform !== "linux").each([
    ["from before the last boot of this machine", { boot_id: "another" }],
    ["whose pid another process uses now", { started: "1" }],
  ])("takes over a lock %s", async (_, part) => {
    await writeFile(`${file}.lock`, JSON.stringify({ ...currentProcessHolder(TOKEN), ...part }));
    expect(await withLock(file, async () => "mine")).toBe("mine");
  });

  it.each([
    ["of a running process", {}, `process ${process.pid} of ${hostname()}`],
    ["of another machine", { host: "far", boot_id: "another", pid: 2 ** 22 + 1 }, `process ${2 ** 22 + 1} of far`],
    ["of another container", { pid_namespace: "pid:[1]", pid: 2 ** 22 + 1 }, `process ${2 ** 22 + 1} of ${hostname()}`],
    ["with unknown content", { token: 1 }, "an unknown process"],
  ])("does not take over a lock %s, and throws STORE_BUSY", async (_, part, holder) => {
    const text = JSON.stringify({ ...currentProcessHolder(TOKEN), ...part });
    await writeFile(`${file}.lock`, text);
    await expect(withLock(file, async () => {}, { timeoutMs: 20 })).rejects.toMatchObject({
      code: "STORE_BUSY",
      details: { file, holder },
    });
    expect(await readFile(`${file}.lock`, "utf8")).toBe(text);
    expect(await readdir(folder)).toEqual(["counter.lock"]);
  });
});

it("withLock rejects with CANCELLED when the signal is aborted", async () => {
  const controller = new AbortController();
  await withLock(file, async () => {
    const waiting = withLock(file, async () => {}, { signal: controller.signal });
    controller.abort();
    await expect(waiting).rejects.toMatchObject({ code: "CANCELLED" });
  });
});

it("withLock reports a missing folder and does not create it", async () => {
  await expect(withLock(join(folder, "none", "x"), async () => {})).rejects.toMatchObject({
    code: "STORE_UNWRITABLE",
    details: { reason: "its folder does not exist (ENOENT)" },
    cause: { code: "ENOENT" },
  });
});

/** Returns a program in which `add` increments the number in the file. Without a lock, increments would be lost. */
function program(body: string): string {
  return `
    import { readFile, writeFile } from "node:fs/promises";
    import { withLock } from "#files/file-lock.js";
    const file = ${JSON.stringify(file)};
    const add = async () => writeFile(file, String(Number(await readFile(file, "utf8")) + 1));
    ${body}`;
}

const COUNT_THEN_DIE = `
  for (let i = 0; i < 20; i++) await withLock(file, add);
  withLock(file, async () => process.kill(process.pid, "SIGKILL"));`;
