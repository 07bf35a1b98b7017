/** Tests the journal on a real disk, with a manual clock. */
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { createReadStream } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Journal } from "#activity/journal.js";
import type { JournalLimits } from "#activity/journal.js";
import { readJournal } from "#activity/read-journal.js";
import type { HostEvent } from "@plugboard/contracts";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { ManualClock } from "../../../contracts/test/helpers/manual-clock.ts";

const START = Date.UTC(2026, 0, 31, 12);

async function journalIn({ limits, folder = "activity", pid = 4711 }: Partial<Setup> = {}) {
  const state = await mkdtemp(join(tmpdir(), "plugboard-journal-"));
  onTestFinished(() => rm(state, { recursive: true, force: true }));
  const clock = new ManualClock();
  clock.advance(START);
  const failures: Error[] = [];
  const options = { clock, pid, onFailed: (error: Error) => void failures.push(error), ...(limits && { limits }) };
  const place = join(state, folder);
  const another = (who = pid) => {
    const journal = new Journal({ ...options, folder: place, pid: who });
    onTestFinished(() => journal.close());
    return journal;
  };
  return { state, folder: place, clock, failures, another, journal: another() };
}

interface Setup {
  readonly limits: Partial<JournalLimits>;
  readonly folder: string;
  readonly pid: number;
}

describe("Journal", () => {
  describe("entry", () => {
    it.each<[string, Partial<HostEvent> & { type: HostEvent["type"] }, object]>([
      [
        "a completed call",
        call({ durationMs: 1.23456, resultBytes: 12 }),
        {
          type: "call",
          call: "c1",
          caller: "cli",
          server: "files",
          tool: "read",
          outcome: "complete",
          duration_ms: 1.235,
          result_bytes: 12,
        },
      ],
      [
        "a call with a tool error",
        call({ isError: true }),
        {
          type: "call",
          call: "c1",
          caller: "cli",
          server: "files",
          tool: "read",
          outcome: "complete",
          is_error: true,
          duration_ms: 5,
        },
      ],
      [
        "a failed call",
        call({ outcome: "failed", code: "TOOL_DENIED" }),
        {
          type: "call",
          call: "c1",
          caller: "cli",
          server: "files",
          tool: "read",
          outcome: "failed",
          code: "TOOL_DENIED",
          duration_ms: 5,
        },
      ],
      [
        "a granted permission",
        settled({ by: "answered", answer: { type: "permission", decision: "once" } }),
        { type: "decision", about: "permission", call: "c1", server: "files", tool: "read", decision: "once" },
      ],
      [
        "an expired permission question",
        settled({ by: "deadline" }),
        { type: "decision", about: "permission", call: "c1", server: "files", tool: "read", decision: "deadline" },
      ],
      [
        "a server that crashed",
        {
          type: "server.changed",
          server: "files",
          state: "connecting",
          error: { code: "SERVER_CRASHED", message: "canary", details: { stderr: "canary" } },
        },
        { type: "server", server: "files", state: "connecting", code: "SERVER_CRASHED" },
      ],
      [
        "a config change",
        { type: "config.changed", added: ["a"], removed: [], changed: ["b"] },
        { type: "config", added: ["a"], removed: [], changed: ["b"] },
      ],
    ])("has only the listed fields for %s", async (_, data, entry) => {
      const { journal, folder } = await journalIn();
      journal.record(event(1, data));
      await journal.flush();
      expect(JSON.parse(await theText(folder))).toEqual({ at: START + 1, ...entry });
    });

    it("has snake_case keys, which readJournal converts back to camelCase", async () => {
      const { journal, folder } = await journalIn();
      journal.record(event(1, call({ isError: true, schemaMismatch: true, argumentBytes: 7, resultBytes: 12 })));
      await journal.flush();
      expect(await theText(folder)).toContain(
        '"duration_ms":5,"is_error":true,"schema_mismatch":true,"argument_bytes":7,"result_bytes":12',
      );
      expect(await readJournal(folder)).toMatchObject([
        { isError: true, schemaMismatch: true, durationMs: 5, argumentBytes: 7, resultBytes: 12 },
      ]);
    });

    it("is not written for events about the catalog", async () => {
      const { journal, state } = await journalIn();
      journal.record(event(1, { type: "catalog.changed", server: "files", tools: 3 }));
      await journal.flush();
      expect(await readdir(state)).toEqual([]);
    });

    it("is written once for each state of a server, although every workspace reports it", async () => {
      const { journal, folder } = await journalIn();
      const error = { code: "SERVER_CRASHED", message: "", details: {} } as const;
      const crashed = { type: "server.changed", server: "s", state: "connecting", error } as const;
      const ready = { type: "server.changed", server: "s", state: "ready" } as const;
      const reported = [crashed, crashed, { ...crashed, server: "t" }, crashed, ready, ready, crashed];
      reported.forEach((one, index) => journal.record(event(index, one)));
      await journal.flush();
      const lines = (await theText(folder)).trimEnd().split("\n");
      expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
        { at: START, server: "s", state: "connecting", code: "SERVER_CRASHED" },
        { at: START + 2, server: "t", state: "connecting" },
        { at: START + 4, server: "s", state: "ready" },
        { at: START + 6, server: "s", state: "connecting" },
      ]);
    });

    it("is written once for a config change that several workspaces report, and not at all if no server has changed", async () => {
      const { journal, folder } = await journalIn();
      const change = { type: "config.changed", added: [], removed: [], changed: ["s"] } as const;
      const other = { ...change, added: ["t"] };
      journal.record(event(0, change));
      journal.record(event(1, other));
      journal.record(event(2, change));
      journal.record(event(3, { ...change, changed: [] }));
      journal.record(event(1999, change));
      journal.record(event(2000, change));
      await journal.flush();
      const lines = (await theText(folder)).trimEnd().split("\n");
      expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
        { type: "config", at: START, added: [], removed: [], changed: ["s"] },
        { type: "config", at: START + 1, added: ["t"], removed: [], changed: ["s"] },
        { type: "config", at: START + 2000, added: [], removed: [], changed: ["s"] },
      ]);
    });

    it("has a truncated tool name if the name is too long", async () => {
      const { journal, folder } = await journalIn();
      journal.record(event(1, call({ tool: "x".repeat(5000) })));
      await journal.flush();
      expect((await theText(folder)).length).toBeLessThan(400);
    });
  });

  describe("write", () => {
    it("happens in the background after a short delay", async () => {
      const { journal, state, folder, clock } = await journalIn();
      journal.record(event(1));
      journal.record(event(2));
      expect(await readdir(state)).toEqual([]);
      clock.advance(250);
      await vi.waitFor(async () => expect(await theText(folder)).toMatch(/.\n.*\n$/));
      expect(clock.pendingTimers).toBe(0);
    });

    it("creates files that only the owner can read", async () => {
      const { journal, folder } = await journalIn();
      journal.record(event(1));
      await journal.flush();
      const [name] = await readdir(folder);
      const modes = await Promise.all([stat(folder), stat(join(folder, name!))]);
      expect(modes.map(({ mode }) => (mode & 0o777).toString(8))).toEqual(["700", "600"]);
    });

    it("uses separate files for two journals of one process", async () => {
      const { journal, another, folder } = await journalIn();
      const journals = [journal, another(), another(42)];
      for (const [index, journal] of journals.entries()) journal.record(event(index));
      await Promise.all(journals.map((one) => one.flush()));
      expect((await readdir(folder)).toSorted()).toEqual([
        "20260131T120000000Z-42-0.jsonl",
        "20260131T120000000Z-4711-0.jsonl",
        "20260131T120000000Z-4711-1.jsonl",
      ]);
      expect(await readJournal(folder)).toHaveLength(3);
    });

    it("includes the waiting entries when the journal is closed, and no later ones", async () => {
      const { journal, folder, clock } = await journalIn();
      journal.record(event(1));
      await journal.close();
      journal.record(event(2));
      await journal.flush();
      expect(await readJournal(folder)).toHaveLength(1);
      expect(clock.pendingTimers).toBe(0);
    });
  });

  describe("files", () => {
    it("are named by completeFile if there is only one and no entries wait for the disk", async () => {
      const { journal, folder } = await journalIn();
      expect(journal.completeFile).toBeUndefined();
      journal.record(event(1));
      expect(journal.completeFile).toBeUndefined();
      await journal.close();
      expect(journal.completeFile).toBe(join(folder, (await readdir(folder))[0]!));
    });

    it("are limited in size, and the next file sorts after the full one", async () => {
      const { journal, folder, clock } = await journalIn({ limits: { maxFileBytes: 400 } });
      for (let n = 0; n < 6; n++) {
        journal.record(event(n));
        await journal.flush();
        clock.advance(1);
      }
      const names = (await readdir(folder)).toSorted();
      expect(names.length).toBeGreaterThan(1);
      expect(journal.completeFile).toBeUndefined();
      const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).size));
      expect(Math.max(...sizes)).toBeLessThanOrEqual(400);
      const texts = await Promise.all(names.map((name) => readFile(join(folder, name), "utf8")));
      expect(texts.join("").match(/"call":"c\d"/g)).toEqual([0, 1, 2, 3, 4, 5].map((n) => `"call":"c${n}"`));
    });

    it.each<[string, Partial<JournalLimits>, readonly string[]]>([
      ["in number", { maxFiles: 3 }, ["20260101T000000003Z-1-0.jsonl", "20260101T000000004Z-1-0.jsonl"]],
      ["in total bytes", { maxTotalBytes: 250 }, ["20260101T000000003Z-1-0.jsonl", "20260101T000000004Z-1-0.jsonl"]],
    ])("are limited %s, and the oldest are deleted", async (_, limits, kept) => {
      const { journal, folder } = await journalIn({ limits });
      await mkdir(folder);
      for (const n of [1, 2, 3, 4]) await file(folder, `20260101T00000000${n}Z-1-0.jsonl`, "x".repeat(100), n);
      await file(folder, "notes.txt", "mine", 0);
      journal.record(event(1));
      await journal.flush();
      expect((await readdir(folder)).toSorted()).toEqual([...kept, "20260131T120000000Z-4711-0.jsonl", "notes.txt"]);
    });
  });

  describe("failing disk", () => {
    it("is reported once, and all entries are written when it works again", async () => {
      const { journal, state, folder, failures, clock } = await journalIn({ folder: "in-the-way/activity" });
      await writeFile(join(state, "in-the-way"), "");
      journal.record(event(1));
      clock.advance(250);
      await vi.waitFor(() => expect(failures).toHaveLength(1));
      journal.record(event(2));
      await journal.flush();
      expect(failures).toHaveLength(1);
      await rm(join(state, "in-the-way"));
      clock.advance(5000);
      await vi.waitFor(async () => expect(await readJournal(folder)).toHaveLength(2));
      await rm(folder, { recursive: true });
      await writeFile(folder, "");
      journal.record(event(3));
      await journal.flush();
      expect(failures).toHaveLength(2);
    });

    it("does not fill the memory, because entries beyond the limit are dropped and counted", async () => {
      const { journal, state, folder } = await journalIn({ folder: "in-the-way/activity", limits: { maxQueued: 10 } });
      await writeFile(join(state, "in-the-way"), "");
      for (let n = 0; n < 25; n++) journal.record(event(n));
      await journal.flush();
      await rm(join(state, "in-the-way"));
      await journal.flush();
      const entries = await readJournal(folder);
      expect(entries.filter(({ type }) => type === "call")).toHaveLength(10);
      expect(entries.filter(({ type }) => type === "lost")).toEqual([{ type: "lost", at: START, entries: 15 }]);
      expect(journal.completeFile).toBeUndefined();
    });

    it.skipIf(process.platform === "win32")("does not block `close` if it never answers", async () => {
      const { journal, folder, clock } = await journalIn();
      journal.record(event(1));
      await journal.flush();
      const path = join(folder, (await readdir(folder))[0]!);
      await rm(path);
      execFileSync("mkfifo", [path]);
      journal.record(event(2));
      const closed = journal.close();
      clock.advance(2000);
      await closed;
      const reader = createReadStream(path).resume();
      await once(reader, "close");
    });
  });

  describe("readJournal", () => {
    const write = async (files: { readonly [name: string]: readonly [writtenAt: number, text: string] }) => {
      const { folder, journal } = await journalIn();
      await mkdir(folder);
      for (const [name, [at, text]] of Object.entries(files)) await file(folder, `${name}-1-0.jsonl`, text, at);
      return { folder, journal };
    };
    const lines = (...ats: readonly number[]) =>
      ats
        .map((at) => `${JSON.stringify({ type: "server", at, server: at % 2 ? "odd" : "even", state: "ready" })}\n`)
        .join("");

    it("returns the newest entry first, across files of two writers", async () => {
      const { folder } = await write({
        "20260101T000000000Z": [9000, lines(1000, 4000, 9000)],
        "20260102T000000000Z": [8000, lines(3000, 5000, 8000)],
      });
      expect((await readJournal(folder)).map(({ at }) => at)).toEqual([9000, 8000, 5000, 4000, 3000, 1000]);
    });

    it.each([
      ["limit", { limit: 2 }, [9, 8]],
      ["time", { since: 8 }, [9, 8]],
      ["server", { server: "even" }, [8, 4]],
      ["limit, time and server", { server: "odd", since: 2, limit: 1 }, [9]],
    ])("filters by %s", async (_, query, ats) => {
      const { folder } = await write({
        "20260101T000000000Z": [9, lines(1, 4, 9)],
        "20260102T000000000Z": [8, lines(3, 5, 8)],
      });
      expect((await readJournal(folder, query)).map(({ at }) => at)).toEqual(ats);
    });

    it("does not read files that are too old", async () => {
      const { folder } = await write({ "20260102T000000000Z": [9000, lines(8000, 9000)] });
      // Opening this folder as a file would fail.
      await mkdir(join(folder, "20260101T000000000Z-1-0.jsonl"));
      await utimes(join(folder, "20260101T000000000Z-1-0.jsonl"), 1, 1);
      expect(await readJournal(folder, { limit: 2 })).toHaveLength(2);
      expect(await readJournal(folder, { since: 8000 })).toHaveLength(2);
    });

    it("skips incomplete lines and unknown entries", async () => {
      const whole = lines(1, 2);
      const { folder } = await write({
        "20260101T000000000Z": [
          9,
          `${JSON.stringify({ type: "later", at: 5 })}\n7\n\n{"type":"call"}\n${whole}${lines(3)}`,
        ],
      });
      const [name] = await readdir(folder);
      const { size } = await stat(join(folder, name!));
      await truncate(join(folder, name!), size - 5);
      expect((await readJournal(folder)).map(({ at }) => at)).toEqual([2, 1]);
    });

    it("returns an empty list if the folder does not exist", async () => {
      expect(await readJournal((await journalIn()).folder)).toEqual([]);
    });
  });
});

type Fact<T extends HostEvent["type"]> = Extract<HostEvent, { type: T }>;

function call(more: Partial<Fact<"call.ended">> = {}) {
  const caller = { kind: "cli", id: "someone" } as const;
  return {
    type: "call.ended",
    call: "c1",
    caller,
    server: "files",
    tool: "read",
    outcome: "complete",
    durationMs: 5,
    ...more,
  } as const;
}

function settled(settlement: Fact<"question.settled">["settlement"]) {
  const asked = { id: "q", owner: "workspace", server: "files", askedAt: 0, deadline: 1 } as const;
  const question = {
    ...asked,
    type: "permission",
    call: "c1",
    tool: "read",
    arguments: { path: "canary" },
    rule: "canary",
  } as const;
  return { type: "question.settled", question, settlement } as const;
}

function event(n: number, data: object = call({ call: `c${n}` })): HostEvent {
  return { seq: n, at: START + n, ...data } as HostEvent;
}

async function theText(folder: string): Promise<string> {
  const [name, ...others] = await readdir(folder);
  expect(others).toEqual([]);
  return readFile(join(folder, name!), "utf8");
}

async function file(folder: string, name: string, text: string, writtenAtMs: number): Promise<void> {
  await writeFile(join(folder, name), text);
  await utimes(join(folder, name), writtenAtMs / 1000, writtenAtMs / 1000);
}
