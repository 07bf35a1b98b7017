/** Tests which state a host persists, and how it works without a usable state folder. */
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { describe, expect, it } from "vitest";
import { waitForEvent, eventsOf, makeTestHome, pidOf, toolNamesOf } from "../helpers/embedded-host.ts";

const servers = { s: scriptedLegacy(), lazy: { ...scriptedLegacy("--pages=2"), start: "lazy" } } as const;
const answer = () => Promise.resolve({ type: "permission", decision: "always" } as const);

describe("a host with persist: false", () => {
  it("writes no files, and everything else works", async () => {
    const { host: open, stateFolder, cwd } = await makeTestHome();
    const host = await open({ servers, persist: false, permissions: {}, ports: { answer } });
    expect(await host.ready()).toEqual({ ready: expect.arrayContaining(["s", "lazy"]) as string[], errors: {} });
    await host.tools.call("s:echo", { text: "hi" });
    expect(await host.permissions.decisions()).toMatchObject([{ server: "s", tool: "echo", scope: "always" }]);
    expect(await host.activity.recent()).toEqual([]);
    expect(host.activity.metrics()).toBeTypeOf("object");
    expect(await host.activity.stats()).toMatchObject({ calls: 1 });
    await host.close();
    expect(existsSync(dirname(stateFolder))).toBe(false);
    expect(await readdir(cwd)).toEqual([]);
  });

  it("does not read the state that another host has persisted", async () => {
    const { host: open } = await makeTestHome();
    const persistingHost = await open({ servers, permissions: {}, ports: { answer } });
    await persistingHost.ready();
    await persistingHost.tools.call("s:echo", { text: "hi" });
    await persistingHost.close();
    const host = await open({ servers, persist: false, permissions: {} });
    await host.ready();
    expect(pidOf(host, "lazy")).toBeDefined();
    expect(await host.permissions.decisions()).toEqual([]);
    await expect(host.tools.call("s:echo", { text: "hi" })).rejects.toMatchObject({ code: "NOBODY_TO_ASK" });
  });
});

describe("a host that persists its state", () => {
  it("makes its folder private to the owner, and stores no arguments of calls in it", async () => {
    const { host: open, stateFolder } = await makeTestHome();
    const host = await open({ servers, permissions: {}, ports: { answer } });
    await host.ready();
    await host.tools.call("s:echo", { text: "a very private text" });
    await host.close();
    expect((await stat(stateFolder)).mode & 0o077).toBe(0);
    const entries = await readdir(stateFolder, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    expect(files.length).toBeGreaterThan(2);
    for (const file of files) expect(await readFile(file, "utf8")).not.toContain("a very private text");
  });

  it("restores decisions and activity when the next host starts", async () => {
    const { host: open, stateFolder } = await makeTestHome();
    const first = await open({ servers, permissions: {}, ports: { answer } });
    await first.ready();
    await first.tools.call("s:echo", { text: "hi" });
    await first.close();
    // For a few calls, no statistics are written. The next host counts them from the journal.
    expect(existsSync(join(stateFolder, "call-stats.json"))).toBe(false);
    const host = await open({ servers, permissions: {} });
    await host.ready();
    expect(await host.tools.call("s:echo", { text: "hi" })).toMatchObject({ content: [{ text: "hi" }] });
    const calls = await host.activity.recent();
    expect(calls.filter((entry) => JSON.stringify(entry).includes("echo")).length).toBeGreaterThanOrEqual(2);
    expect(await host.activity.stats()).toMatchObject({ calls: 2, groups: [{ server: "s", calls: 2 }] });
    expect(host.activity.metrics().servers).toMatchObject([{ server: "s", calls: 1 }]);
  });
});

describe("a host whose state can't be stored or read", { meta: { covers: ["F36"] } }, () => {
  it("still runs servers and calls, and emits state.failed", async () => {
    const { host: open, stateFolder } = await makeTestHome();
    // Not even root can create a folder where a file is.
    await writeFile(dirname(stateFolder), "in the way");
    const host = await open({ servers, permissions: {}, ports: { answer } });
    expect(await host.ready()).toMatchObject({ errors: {} });
    expect(await waitForEvent(host, "state.failed")).toMatchObject({ error: { code: "STORE_UNWRITABLE" } });
    expect(await host.tools.call("s:echo", { text: "hi" })).toMatchObject({ content: [{ text: "hi" }] });
    expect(await host.tools.call("s:echo", { text: "again" })).toMatchObject({ content: [{ text: "again" }] });
    expect(toolNamesOf(host, "lazy")).toContain("echo");
    await host.close();
    expect(await readFile(dirname(stateFolder), "utf8")).toBe("in the way");
  });

  it.each(["trust.json", "decisions.json"])(
    "treats a damaged %s as empty, emits state.failed, and does not overwrite the file",
    async (name) => {
      const { host: open, stateFolder } = await makeTestHome();
      await mkdir(stateFolder, { recursive: true });
      await writeFile(join(stateFolder, name), "{ damaged");
      const host = await open({ servers, permissions: {} });
      expect(await host.ready()).toMatchObject({ errors: {} });
      expect(await eventsOf(host, "state.failed")).toHaveLength(1);
      await expect(host.tools.call("s:echo", { text: "hi" })).rejects.toMatchObject({ code: "NOBODY_TO_ASK" });
      await host.close();
      expect(await readFile(join(stateFolder, name), "utf8")).toBe("{ damaged");
    },
  );
});
