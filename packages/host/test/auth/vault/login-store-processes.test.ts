import { execFileSync } from "node:child_process";
import { chmod, chown, readdir, readFile, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { LoginStore } from "#auth/vault/login-store.js";
import type { LoginRecord, LoginKey } from "#auth/vault/login-record.js";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { FILES, sampleLogin, NO_KEYRING, NOTES, WORK } from "../../helpers/auth/login-samples.ts";
import { temporaryFolder } from "../../../../store/test/helpers/run-child.ts";
import { runChild } from "../../helpers/run-child.ts";

const SAVERS = process.env["PLUGBOARD_LONG"] ? 20 : 6;

let folder: string;
let file: string;
let store: LoginStore;
beforeEach(async () => {
  folder = await temporaryFolder();
  file = join(folder, "mcp-auth.json");
  store = new LoginStore({ file, keyring: NO_KEYRING });
});

describe("LoginStore in several processes", () => {
  it("keeps all logins that the processes save at the same time", { timeout: 60_000 }, async () => {
    const saveFive = (process: number) => `
      const login = ${JSON.stringify(sampleLogin(NOTES))};
      for (let i = 0; i < 5; i++) await store.save({ resource: "https://${process}.example/" + i }, "server", login);`;
    const ended = await Promise.all(
      Array.from({ length: SAVERS }, (_, index) => runChild(childProgram(saveFive(index)))),
    );
    expect(ended.map(({ output }) => output)).toEqual(ended.map(() => ""));
    const urls = new Set([...(await store.list()).values()].map(({ url }) => url));
    expect(urls.size).toBe(SAVERS * 5);
    expect(await readdir(folder)).toEqual(["mcp-auth.json"]);
  });

  it(
    "runs one refresh of a login at a time, even after a process was killed during a refresh",
    { timeout: 60_000 },
    async () => {
      await writeFile(join(folder, "count"), "0");
      const refreshProgram = childProgram(`
      const count = ${JSON.stringify(join(folder, "count"))};
      const add = async () => writeFile(count, String(Number(await readFile(count, "utf8")) + 1));
      for (let i = 0; i < 20; i++) await store.withLock(key, "refresh", add);
      store.withLock(key, "refresh", () => process.kill(process.pid, "SIGKILL"));`);
      const ended = await Promise.all([1, 2, 3, 4, 5].map(() => runChild(refreshProgram)));
      expect(ended.map(({ output, signal }) => output + signal)).toEqual(Array.from({ length: 5 }, () => "SIGKILL"));
      expect(await readFile(join(folder, "count"), "utf8")).toBe("100");
      expect(await store.withLock(NOTES, "refresh", async () => "mine")).toBe("mine");
      expect(await readdir(folder)).toEqual(["count"]);
    },
  );
});

describe.each([
  ["with a file", () => file],
  ["in memory", () => undefined],
])("LoginStore.withLock %s", (_, fileOf) => {
  beforeEach(() => {
    store = new LoginStore({ file: fileOf(), keyring: NO_KEYRING });
  });

  it("waits for a running operation of the same kind on the same login, also if that operation fails", async () => {
    const order: string[] = [];
    let fail = () => {};
    let first: Promise<never> | undefined;
    await new Promise<void>((started) => {
      first = store.withLock(NOTES, "refresh", () => {
        started();
        return new Promise((_, reject) => (fail = () => reject(new Error("no"))));
      });
    });
    const second = store.withLock(NOTES, "refresh", async () => order.push("second"));
    await store.withLock(NOTES, "login", async () => order.push("login"));
    await store.withLock(WORK, "refresh", async () => order.push("another account"));
    await store.withLock(FILES, "refresh", async () => order.push("another server"));
    fail();
    await expect(first).rejects.toThrow("no");
    await second;
    expect(order).toEqual(["login", "another account", "another server", "second"]);
  });

  it("does not run an operation that is cancelled while it waits for the lock", async () => {
    const cancel = new AbortController();
    const done: string[] = [];
    await store.withLock(NOTES, "login", async () => {
      const waiting = store.withLock(NOTES, "login", async () => done.push("no"), { signal: cancel.signal });
      cancel.abort();
      await expect(waiting).rejects.toMatchObject({ code: "CANCELLED" });
    });
    expect(await store.withLock(NOTES, "login", async () => "next")).toBe("next");
    expect(done).toEqual([]);
  });
});

it("LoginStore.withLock waits up to 30 seconds for another refresh, and without limit for another login", async () => {
  // Each call of `now` returns a time one minute later than the call before.
  let minutes = 0;
  const clock = { now: () => 60_000 * minutes++, after: (_: number, run: () => void) => (setImmediate(run), () => {}) };
  await store.withLock(NOTES, "refresh", async () => {
    await expect(store.withLock(NOTES, "refresh", async () => {}, { clock })).rejects.toMatchObject({
      code: "STORE_BUSY",
    });
  });
  const cancel = new AbortController();
  const cancellingClock = { ...clock, now: () => (minutes > 300 && cancel.abort(), clock.now()) };
  await store.withLock(NOTES, "login", async () => {
    const options = { clock: cancellingClock, signal: cancel.signal };
    await expect(store.withLock(NOTES, "login", async () => {}, options)).rejects.toMatchObject({
      code: "CANCELLED",
    });
  });
});

describe("LoginStore.save", { meta: { covers: ["F36"] } }, () => {
  const big = sampleLogin(FILES, { access_token: "x".repeat(20_000) });
  let before: Buffer;
  beforeEach(async () => {
    if (process.getuid?.() === 0) {
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=64k", "none", folder]);
      onTestFinished(() => void execFileSync("umount", [folder]));
    }
    await store.save(NOTES, "notes", sampleLogin(NOTES));
    before = await readFile(file);
  });

  // Only root can mount a small disk. For other users, the next test with a file size limit is similar.
  it.runIf(process.getuid?.() === 0)("rejects and leaves the old file unchanged if the disk is full", async () => {
    const filler = join(folder, "filler");
    await expect(writeFile(filler, "y".repeat(100_000))).rejects.toMatchObject({ code: "ENOSPC" });
    await truncate(filler, (await stat(filler)).size - 8192);
    await expect(store.save(FILES, "files", big)).rejects.toMatchObject({
      code: "STORE_UNWRITABLE",
      details: { file, reason: "the disk is full (ENOSPC)" },
    });
    expect(await readFile(file)).toEqual(before);
    expect(await readdir(folder)).toEqual(["filler", "mcp-auth.json"]);
    expect(await store.find(NOTES)).toEqual(sampleLogin(NOTES));
  });

  it("rejects and leaves the old file unchanged if the new one would exceed the file size limit", async () => {
    const { output } = await runChild(saveProgram(FILES, big), "trap '' XFSZ; ulimit -f 8;");
    expect(output).toBe("STORE_UNWRITABLE: it would exceed the file size limit (EFBIG)");
    expect(await readFile(file)).toEqual(before);
    expect(await readdir(folder)).toEqual(["mcp-auth.json"]);
  });

  it("rejects and leaves the old file unchanged if the folder is not writable", async () => {
    const isRoot = process.getuid?.() === 0;
    if (isRoot) for (const path of [folder, file]) await chown(path, 65534, 65534);
    await chmod(folder, 0o500);
    const dropPrivileges = isRoot ? "process.setgroups([]); process.setgid(65534); process.setuid(65534);" : "";
    const { output } = await runChild(saveProgram(FILES, sampleLogin(FILES), dropPrivileges));
    await chmod(folder, 0o700);
    expect(output).toBe("STORE_UNWRITABLE: you have no permission to write to its folder (EACCES)");
    expect(await readFile(file)).toEqual(before);
    expect(await readdir(folder)).toEqual(["mcp-auth.json"]);
  });
});

/** Returns a program that runs `setup`, saves the login, and prints `done` or the error. */
function saveProgram(key: LoginKey, login: LoginRecord, setup = ""): string {
  return childProgram(`
    ${setup}
    const saved = store.save(${JSON.stringify(key)}, "server", ${JSON.stringify(login)});
    process.stdout.write(await saved.then(() => "done", (error) => error.code + ": " + error.details.reason));`);
}

/** Returns a program that opens the same store as the test. */
function childProgram(program: string): string {
  return `
    import { readFile, writeFile } from "node:fs/promises";
    import { KeyringUnavailable } from "#auth/vault/keyring.js";
    import { LoginStore } from "#auth/vault/login-store.js";
    const none = () => Promise.reject(new KeyringUnavailable("absent", "there is no keyring here"));
    const store = new LoginStore({ file: ${JSON.stringify(file)}, keyring: { get: none, set: none, delete: none } });
    const key = ${JSON.stringify(NOTES)};
    ${program}`;
}
