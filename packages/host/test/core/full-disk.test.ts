/** Tests a full or read-only disk: stored data survives, and a failed write is never reported as success. */
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Journal } from "#activity/journal.js";
import { readJournal } from "#activity/read-journal.js";
import type { HostEvent } from "@plugboard/contracts";
import { createHost } from "#lazy.js";
import { readOrCreateSecret } from "@plugboard/store";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { describe, expect, it, onTestFinished } from "vitest";
import { ManualClock } from "../../../contracts/test/helpers/manual-clock.ts";
import { canMount, mountSmallDisk } from "../helpers/small-disk.ts";

const covers = ["F45"];

function journalIn(folder: string, maxFiles = 3) {
  const failures: Error[] = [];
  const onFailed = (error: Error) => void failures.push(error);
  const clock = new ManualClock();
  const journal = new Journal({ folder, clock, pid: 4711, onFailed, limits: { maxFiles } });
  onTestFinished(() => journal.close());
  return { journal, failures, clock };
}

function event(seq: number): HostEvent {
  const caller = { kind: "cli", id: "someone" } as const;
  const call = { call: `c${seq}`, caller, server: "s", tool: "t", outcome: "complete", durationMs: 1 } as const;
  return { type: "call.ended", seq, at: seq, ...call };
}

describe.runIf(canMount)("the journal on a full disk", { meta: { covers } }, () => {
  it("keeps its old files, leaves no empty file and reports one failure", async () => {
    const disk = await mountSmallDisk();
    const folder = join(disk.folder, "activity");
    await mkdir(folder);
    const kept = [1, 2, 3].map((n) => `2026010${n}T000000000Z-1-0.jsonl`);
    for (const name of kept)
      await writeFile(join(folder, name), '{"type":"server","at":1,"server":"s","state":"ready"}\n');
    await disk.fill();
    const { journal, failures } = journalIn(folder);
    for (const n of [1, 2, 3, 4, 5]) {
      journal.record(event(n));
      await journal.flush();
    }
    expect((await readdir(folder)).toSorted()).toEqual(kept);
    expect(failures).toMatchObject([{ code: "ENOSPC" }]);
    await disk.empty();
    await journal.flush();
    const calls = (await readJournal(folder)).filter(({ type }) => type === "call");
    expect(calls).toHaveLength(5);
    expect(await readdir(folder)).toHaveLength(3);
  });

  it("continues in the same file without a partial line when there is space again", async () => {
    const disk = await mountSmallDisk();
    const { journal } = journalIn(disk.folder);
    journal.record(event(1));
    await journal.flush();
    const [name] = await readdir(disk.folder);
    const before = await readFile(join(disk.folder, name!), "utf8");
    // The last page of the file still has space, so a write can be partial.
    await disk.fill();
    for (let n = 2; n < 60; n++) journal.record(event(n));
    await journal.flush();
    expect(await readFile(join(disk.folder, name!), "utf8")).toBe(before);
    await disk.empty();
    await journal.flush();
    expect(await readdir(disk.folder)).toEqual([name]);
    expect(await readJournal(disk.folder, { limit: 100 })).toHaveLength(59);
  });
});

describe("host.config.trust if the trust can't be stored", { meta: { covers } }, () => {
  async function inProject(state: string) {
    const root = await mkdtemp(join(tmpdir(), "plugboard-unstored-"));
    onTestFinished(() => rm(root, { recursive: true }));
    const servers = { s: { ...scriptedLegacy(), start: "lazy" } };
    await writeFile(join(root, ".mcp.json"), JSON.stringify({ mcpServers: servers }));
    const env = { XDG_STATE_HOME: state, XDG_CONFIG_HOME: join(root, "config"), PATH: process.env["PATH"] };
    const host = await createHost({ cwd: root, env, config: ["project"] });
    onTestFinished(() => host.close());
    return host;
  }

  it("rejects with STORE_UNWRITABLE, and the trust still applies in this host until it ends", async () => {
    const state = await mkdtemp(join(tmpdir(), "plugboard-unstored-"));
    onTestFinished(() => rm(state, { recursive: true }));
    await writeFile(join(state, "plugboard"), "in the way");
    const host = await inProject(state);
    const [pending] = host.config.pending();
    await expect(host.config.trust("s", pending!.hash)).rejects.toMatchObject({ code: "STORE_UNWRITABLE" });
    expect(host.config.pending()).toEqual([]);
  });

  it.runIf(canMount)("rejects on a full disk and leaves no file of the trust store", async () => {
    const disk = await mountSmallDisk();
    await mkdir(join(disk.folder, "plugboard"), { mode: 0o700 });
    await disk.fill();
    const host = await inProject(disk.folder);
    const [pending] = host.config.pending();
    await expect(host.config.trust("s", pending!.hash)).rejects.toMatchObject({
      code: "STORE_UNWRITABLE",
      details: { reason: "the disk is full (ENOSPC)" },
    });
    const left = await readdir(join(disk.folder, "plugboard"));
    expect(left.filter((name) => name.startsWith("trust"))).toEqual([]);
  });
});

describe("readOrCreateSecret", { meta: { covers: ["F45", "F48"] } }, () => {
  it.runIf(canMount)("throws STORE_UNWRITABLE on a full disk and leaves no temporary file", async () => {
    const disk = await mountSmallDisk();
    await disk.fill();
    const file = join(disk.folder, "token");
    await expect(readOrCreateSecret(file, () => "secret")).rejects.toMatchObject({
      code: "STORE_UNWRITABLE",
      details: { file, reason: "the disk is full (ENOSPC)" },
    });
    expect(await readdir(disk.folder)).toEqual(["filler"]);
    await disk.empty();
    expect(await readOrCreateSecret(file, () => "secret")).toBe("secret");
  });

  it.runIf(canMount)("names the read-only file system as the reason of the error", async () => {
    const disk = await mountSmallDisk();
    execFileSync("mount", ["-o", "remount,ro", disk.folder]);
    await expect(readOrCreateSecret(join(disk.folder, "token"), () => "secret")).rejects.toMatchObject({
      details: { reason: "the file system is read-only (EROFS)" },
    });
  });

  it("throws STORE_UNWRITABLE if the folder does not exist", async () => {
    await expect(readOrCreateSecret(join(tmpdir(), "no-such-folder-here", "token"), () => "s")).rejects.toMatchObject({
      code: "STORE_UNWRITABLE",
    });
  });
});
