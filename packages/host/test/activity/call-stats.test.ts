/** Tests the statistics of calls with a manual clock and a real disk. Compares them with a recount of the journal. */
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, readdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CallStatsStore } from "#activity/call-stats-store.js";
import { Journal } from "#activity/journal.js";
import { readJournal } from "#activity/read-journal.js";
import { isFailedCall, serverMs } from "@plugboard/contracts";
import type { CallEntry, CallGroup, CallStatsQuery, CallTotals, HostError, HostErrorCode } from "@plugboard/contracts";
import { seededRandom } from "@plugboard/testkit/seeded-random";
import { describe, expect, it, onTestFinished } from "vitest";
import { ManualClock } from "../../../contracts/test/helpers/manual-clock.ts";
import { endedCall } from "../helpers/ended-calls.ts";
import { runChild } from "../helpers/run-child.ts";

const HOUR_MS = 3_600_000;
const START = Date.UTC(2026, 0, 31, 12);

async function storeIn({ name = "call-stats.json", persist = true } = {}) {
  const folder = await mkdtemp(join(tmpdir(), "plugboard-stats-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const clock = new ManualClock();
  clock.advance(START);
  const failures: HostError[] = [];
  const file = join(folder, name);
  const open = () => {
    const options = {
      file: () => (persist ? file : undefined),
      clock,
      onFailed: (error: HostError) => void failures.push(error),
    };
    const store = new CallStatsStore(options);
    onTestFinished(() => store.close());
    return store;
  };
  const record = (store: CallStatsStore, fields: Parameters<typeof endedCall>[0] = {}) =>
    store.record(endedCall({ at: clock.now(), ...fields }));
  return { folder, file, clock, failures, open, record };
}

/** Computes statistics from journal entries, to compare them with those that the host has counted. */
function recount(entries: readonly CallEntry[]) {
  const latencies = entries.flatMap((entry) => serverMs(entry) ?? []).toSorted((a, b) => a - b);
  // Adds whole microseconds, so that the sum has no rounding error.
  const sumOf = (numbers: readonly (number | undefined)[]) =>
    numbers.reduce<number>((sum, one) => sum + Math.round((one ?? 0) * 1000), 0) / 1000;
  const waits = (values: readonly (number | undefined)[]) => values.filter((value) => value !== undefined);
  return {
    calls: entries.length,
    failed: entries.filter(isFailedCall).length,
    argumentBytes: sumOf(entries.map((entry) => entry.argumentBytes)),
    resultBytes: sumOf(entries.map((entry) => entry.resultBytes)),
    server: { count: latencies.length, sum: Math.round(sumOf(latencies)) },
    start: {
      count: waits(entries.map((entry) => entry.startMs)).length,
      sum: Math.round(sumOf(entries.map((entry) => entry.startMs))),
    },
    queue: {
      count: waits(entries.map((entry) => entry.queueMs)).length,
      sum: Math.round(sumOf(entries.map((entry) => entry.queueMs))),
    },
    question: {
      count: waits(entries.map((entry) => entry.questionMs)).length,
      sum: Math.round(sumOf(entries.map((entry) => entry.questionMs))),
    },
  };
}

/** Returns the same fields as `recount`, from the statistics. */
function counted({ calls, failed, argumentBytes, resultBytes, phases }: CallTotals) {
  const timesOf = (phase: "server" | "start" | "queue" | "question") => {
    const { count = 0, sum = 0 } = phases[phase] ?? {};
    return { count, sum: Math.round(sum) };
  };
  const times = {
    server: timesOf("server"),
    start: timesOf("start"),
    queue: timesOf("queue"),
    question: timesOf("question"),
  };
  return { calls, failed, argumentBytes, resultBytes, ...times };
}

/** Records 20 000 random calls within 48 hours: of each caller, to 10 tools of 10 servers, with three outcomes. */
async function simulate(callers: number) {
  const { folder, clock, open } = await storeIn();
  const store = open();
  const journal = new Journal({
    folder: join(folder, "activity"),
    clock,
    pid: 1,
    onFailed: (error) => {
      throw error;
    },
  });
  onTestFinished(() => journal.close());
  const random = seededRandom(7);
  const pick = <T>(...choices: readonly T[]): T => choices[Math.floor(random() * choices.length)]!;
  const principal = (name: string) => ({ id: name, name, mayApprove: false });
  for (let n = 0; n < 20_000; n++) {
    clock.advance((48 * HOUR_MS) / 20_000);
    const client = Math.floor(random() * callers);
    const code = pick<HostErrorCode | undefined>(undefined, "TOOL_DENIED", "TOOL_EXECUTION_FAILED");
    const round = (ms: number) => Math.round(ms * 1000) / 1000;
    const questionMs = random() < 0.1 ? round(random() * 60_000) : undefined;
    const startMs = random() < 0.1 ? round(random() * 3000) : undefined;
    const queueMs = random() < 0.1 ? round(random() * 100) : undefined;
    const event = endedCall({
      at: clock.now(),
      caller: client === 0 ? { kind: "page", id: "p" } : { kind: "front", id: "f", principal: principal(`c${client}`) },
      server: `s${Math.floor(random() * 10)}`,
      tool: `t${Math.floor(random() * 10)}`,
      outcome: code ? "failed" : "complete",
      code,
      notSent: code === "TOOL_DENIED" ? true : undefined,
      durationMs: round(random() ** 4 * 1000 + (questionMs ?? 0) + (startMs ?? 0) + (queueMs ?? 0)),
      startMs,
      questionMs,
      queueMs,
      argumentBytes: Math.floor(random() * 1000),
      resultBytes: code ? undefined : Math.floor(random() * 10_000),
    });
    store.record(event);
    journal.record(event);
    if (n % 5000 === 0) await Promise.all([journal.flush(), store.flush()]);
  }
  await journal.flush();
  const entries = await readJournal(join(folder, "activity"), { limit: 20_000 });
  expect(entries).toHaveLength(20_000);
  const now = clock.now();
  return {
    reopened: open(),
    store,
    /** Returns the entries of the span, which starts with the first whole bucket. */
    since: (spanMs: number, bucketMs: number) => {
      const first = (Math.floor(now / bucketMs) - spanMs / bucketMs + 1) * bucketMs;
      return entries.filter((entry): entry is CallEntry => entry.type === "call" && entry.at >= first);
    },
  };
}

/** Each span with its length and the length of its buckets, in milliseconds. */
const SPANS = [
  ["5 minutes", HOUR_MS / 12, 10_000],
  ["hour", HOUR_MS, 60_000],
  ["24 hours", 24 * HOUR_MS, 900_000],
  ["48 hours", 48 * HOUR_MS, HOUR_MS],
] as const;

describe("the statistics of 20 000 calls in 48 hours", () => {
  it("equal a recount of the journal for each of 900 series, also after a restart", { timeout: 120_000 }, async () => {
    const { store, reopened, since } = await simulate(3);
    const groupings: [CallStatsQuery["by"] & string, (one: CallEntry | CallGroup) => string][] = [
      ["server", ({ server = "" }) => server],
      ["tool", ({ server = "", tool = "" }) => `${server}:${tool}`],
      ["client", ({ caller = "page", client = "" }) => `${caller} ${client}`],
    ];
    for (const source of ["running", "restarted"]) {
      if (source === "restarted") await store.close();
      for (const [, spanMs, bucketMs] of SPANS) {
        const entries = since(spanMs, bucketMs);
        for (const [by, keyOf] of groupings) {
          const stats = await (source === "running" ? store : reopened).stats({ spanMs, by });
          expect(stats.bucketMs).toBe(bucketMs);
          expect(counted(stats)).toEqual(recount(entries));
          const expected = new Map<string, CallEntry[]>();
          for (const entry of entries) expected.set(keyOf(entry), []);
          for (const entry of entries) expected.get(keyOf(entry))!.push(entry);
          expect(new Set(stats.groups.map(keyOf))).toEqual(new Set(expected.keys()));
          for (const group of stats.groups) expect(counted(group)).toEqual(recount(expected.get(keyOf(group))!));
        }
      }
    }
    const [, spanMs, bucketMs] = SPANS[2];
    const { buckets } = await reopened.stats({ spanMs });
    const entries = since(spanMs, bucketMs);
    for (const bucket of buckets) {
      const own = entries.filter(({ at }) => at >= bucket.from && at < bucket.from + bucketMs);
      expect(counted(bucket)).toEqual(recount(own));
    }
    const latencies = entries.flatMap((entry) => serverMs(entry) ?? []).toSorted((a, b) => a - b);
    const { p50, p99 } = (await reopened.stats({ spanMs })).phases.server!;
    for (const [share, found] of [
      [0.5, p50],
      [0.99, p99],
    ] as const) {
      const exact = latencies[Math.ceil(latencies.length * share) - 1]!;
      expect(Math.abs(found - exact)).toBeLessThanOrEqual(exact * 0.04);
    }
  });

  it(
    "have exact totals for 1 500 series, but count the series beyond the first 1 000 as one",
    { timeout: 120_000 },
    async () => {
      const { store, since } = await simulate(5);
      for (const [, spanMs, bucketMs] of SPANS) {
        const stats = await store.stats({ spanMs, by: "tool" });
        expect(counted(stats)).toEqual(recount(since(spanMs, bucketMs)));
        const buckets = stats.buckets.reduce((sum, { calls }) => sum + calls, 0);
        expect([buckets, stats.groups.reduce((sum, { calls }) => sum + calls, 0)]).toEqual([stats.calls, stats.calls]);
      }
      const { groups } = await store.stats({ spanMs: 48 * HOUR_MS, by: "tool" });
      const others = groups.filter(({ server }) => server === undefined);
      expect(others).toHaveLength(1);
      expect(others[0]!.calls).toBeGreaterThan(1000);
    },
  );
});

describe("calls of a process that ends after a few calls", () => {
  async function setUp() {
    const made = await storeIn();
    const journalFolder = join(made.folder, "activity");
    let pid = 0;
    /** Simulates a process that makes these calls and ends, as a command does. */
    const run = async (...calls: readonly Parameters<typeof endedCall>[0][]) => {
      const onFailed = (error: Error) => {
        throw error;
      };
      const store = made.open();
      const journal = new Journal({ folder: journalFolder, clock: made.clock, pid: ++pid, onFailed });
      for (const fields of calls) {
        const event = endedCall({ at: made.clock.now(), ...fields });
        store.record(event);
        journal.record(event);
      }
      await journal.close();
      await store.close(journal.completeFile);
    };
    return { ...made, journalFolder, run };
  }

  it("are only written to its journal, and counted once by the next process that reads the statistics", async () => {
    const { folder, clock, open, run, journalFolder } = await setUp();
    const caller = { kind: "front", id: "f", principal: { id: "c", name: "c", mayApprove: false } } as const;
    const runs: Parameters<typeof endedCall>[0][][] = [
      [
        {},
        {
          caller,
          argumentBytes: 7,
          resultBytes: 9,
          durationMs: 90,
          startMs: 9,
          queueMs: 1,
          questionMs: 30,
          retryMs: 4,
        },
      ],
      [
        { outcome: "failed", code: "TOOL_NOT_FOUND", tool: "invented" },
        { isError: true, tool: "t".repeat(300) },
      ],
    ];
    const direct = new CallStatsStore({ file: () => undefined, clock, onFailed: () => {} });
    for (const calls of runs) {
      await run(...calls);
      for (const fields of calls) direct.record(endedCall({ at: clock.now(), ...fields }));
      clock.advance(HOUR_MS);
    }
    expect(await readdir(folder)).toEqual(["activity"]);
    for (const by of ["server", "tool", "client"] as const) {
      const [counted, expected] = await Promise.all([open().stats({ by }), direct.stats({ by })]);
      expect(counted).toMatchObject({ calls: 4, groups: expected.groups, phases: expected.phases });
    }
    expect(await readJournal(journalFolder)).toHaveLength(4);
  });

  const name = (id: number) => `20260101T000000000Z-${id}-0`;

  it.each<[string, object]>([
    ["no server", { server: undefined }],
    ["no caller", { caller: undefined }],
    ["a tool that is not a string", { tool: {} }],
    ["a client that is not a string", { client: 5 }],
    ["a duration that is not a number", { duration_ms: "x" }],
    ["a duration longer than any clock can measure", { duration_ms: 1e300 }],
    ["a time later than any clock can show", { at: 1e300 }],
    ["a negative number of bytes", { result_bytes: -5 }],
    ["a fraction of a byte", { argument_bytes: 1.5 }],
  ])("are counted, but not a line that has %s", async (_, fields) => {
    const { clock, open, run, journalFolder } = await setUp();
    await run({});
    const line = {
      type: "call",
      at: clock.now(),
      call: "a",
      caller: "cli",
      server: "s",
      tool: "t",
      outcome: "complete",
    };
    const odd = JSON.stringify({ ...line, duration_ms: 1, ...fields });
    await writeFile(join(journalFolder, `${name(1)}.uncounted.jsonl`), `${odd}\n`);
    expect(await open().stats()).toMatchObject({ calls: 1 });
    expect(await open().stats()).toMatchObject({ calls: 1 });
  });

  it("are counted even if folders, links and pipes lie beside their file, and even if it can't be renamed", async () => {
    const { clock, open, run, journalFolder, failures } = await setUp();
    await run({});
    await mkdir(join(journalFolder, `${name(1)}.uncounted.jsonl`));
    await symlink("/dev/zero", join(journalFolder, `${name(2)}.uncounted.jsonl`));
    await writeFile(join(journalFolder, "other.uncounted.jsonl"), "");
    execFileSync("mkfifo", [join(journalFolder, `${name(3)}.uncounted.jsonl`)]);
    await mkdir(join(journalFolder, "20260131T120000000Z-1-0.jsonl"));
    const store = open();
    for (let round = 1; round <= 3; round++) {
      store.record(endedCall({ at: clock.now() }));
      await store.flush();
      expect(await store.stats()).toMatchObject({ calls: 1 + round });
    }
    expect(failures).toEqual([]);
  });

  it("are not counted twice if the process that counts them is killed before it marks them as counted", async () => {
    const { open, run, journalFolder } = await setUp();
    await run({});
    const [uncounted] = await readdir(journalFolder);
    expect(await open().stats()).toMatchObject({ calls: 1 });
    const [counted] = await readdir(journalFolder);
    expect(counted).not.toBe(uncounted);
    await rename(join(journalFolder, counted!), join(journalFolder, uncounted!));
    expect(await open().stats()).toMatchObject({ calls: 1 });
    await run({});
    expect(await open().stats()).toMatchObject({ calls: 2 });
  });

  it("stay in the metrics of that process, and its own statistics count them once", async () => {
    const { folder, open, journalFolder, clock, record } = await setUp();
    const onFailed = () => {};
    const [store, journal] = [open(), new Journal({ folder: journalFolder, clock, pid: 1, onFailed })];
    record(store);
    journal.record(endedCall({ at: clock.now() }));
    await journal.close();
    await store.close(journal.completeFile);
    expect(store.counter.sinceStart().map(({ cell }) => cell.calls)).toEqual([1]);
    await store.close();
    expect(await readdir(folder)).toEqual(["activity"]);
    expect(await store.stats()).toMatchObject({ calls: 1 });
  });

  it("are counted by the process itself if there are more than eight, or its journal is not complete", async () => {
    const { file, open, run, record } = await setUp();
    await run(...Array.from({ length: 9 }, () => ({})));
    expect(await readFile(file, "utf8")).toContain("files");
    const store = open();
    record(store);
    await store.close(undefined);
    expect(await open().stats()).toMatchObject({ calls: 10 });
  });

  it("are counted before the journal has too many files and deletes theirs", async () => {
    const { file, journalFolder, run, open } = await setUp();
    for (let n = 0; n < 65; n++) await run({});
    expect((await readdir(journalFolder)).filter((name) => name.includes("uncounted"))).toEqual([]);
    expect(await readFile(file, "utf8")).toContain("files");
    expect(await open().stats()).toMatchObject({ calls: 65 });
  });
});

describe("CallStatsStore", () => {
  it("counts the last hour and the last 24 hours separately, however many calls there were", async () => {
    const { clock, open, record } = await storeIn();
    const store = open();
    for (let n = 0; n < 2000; n++) record(store);
    clock.advance(10 * HOUR_MS);
    for (let n = 0; n < 957; n++) {
      clock.advance(HOUR_MS / 2 / 957);
      record(store, { outcome: "failed", code: "SERVER_CRASHED" });
    }
    const [hour, day] = await Promise.all([store.stats({ spanMs: HOUR_MS }), store.stats()]);
    expect([hour.calls, hour.failed, day.calls, day.failed]).toEqual([957, 957, 2957, 957]);
  });

  it("counts the phases start, queue, question and retries separately from the latency of the server", async () => {
    const { open, record } = await storeIn();
    const store = open();
    record(store, { durationMs: 61_115, startMs: 1000, queueMs: 10, questionMs: 60_000, retryMs: 100 });
    record(store, { outcome: "failed", code: "TOOL_DENIED", notSent: true, durationMs: 30_000, questionMs: 30_000 });
    record(store, { outcome: "failed", code: "CANCELLED", durationMs: 700 });
    const { calls, failed, phases } = await store.stats();
    expect([calls, failed]).toEqual([3, 0]);
    expect(phases).toMatchObject({
      server: { count: 1, sum: 5, max: 5 },
      start: { count: 1, sum: 1000 },
      queue: { count: 1, sum: 10 },
      question: { count: 2, sum: 90_000, max: 60_000 },
      retries: { count: 1, sum: 100 },
    });
  });

  it("selects calls by server, caller, text and failure", async () => {
    const { open, record } = await storeIn();
    const store = open();
    const principal = { id: "1", name: "Cursor", mayApprove: false };
    record(store, { server: "a" });
    record(store, { server: "b", isError: true });
    record(store, { server: "b", caller: { kind: "front", id: "f", principal }, outcome: "failed", code: "TOOL_OFF" });
    const count = async (query: CallStatsQuery) => (await store.stats(query)).calls;
    expect(await count({ server: "b" })).toBe(2);
    expect(await count({ caller: "front" })).toBe(1);
    expect(await count({ text: " cursor" })).toBe(1);
    expect(await count({ text: "tool_off" })).toBe(1);
    expect(await count({ text: "b:read" })).toBe(2);
    expect(await count({ onlyFailed: true })).toBe(2);
    expect((await store.stats({ by: "client" })).groups).toMatchObject([
      { caller: "cli", calls: 2 },
      { caller: "front", client: "Cursor", calls: 1 },
    ]);
  });

  it("counts all calls of unknown tools as one group", async () => {
    const { open, record } = await storeIn();
    const store = open();
    for (let n = 0; n < 1500; n++) record(store, { tool: `invented${n}`, outcome: "failed", code: "TOOL_NOT_FOUND" });
    record(store, { tool: "real" });
    expect((await store.stats({ by: "tool" })).groups).toMatchObject([
      { server: "files", calls: 1500 },
      { server: "files", tool: "real", calls: 1 },
    ]);
  });

  it.each(["1 h", "61 days"])(
    "rejects the span %s, because a span is a number of milliseconds up to 60 days",
    async (text) => {
      const { open } = await storeIn();
      const spanMs = text === "1 h" ? (text as unknown as number) : 61 * 24 * HOUR_MS;
      await expect(open().stats({ spanMs })).rejects.toMatchObject({ code: "USAGE" });
    },
  );

  it("writes its file a minute after the first call, and has no timer without calls", async () => {
    const { clock, file, open, record } = await storeIn();
    const store = open();
    record(store);
    record(store);
    expect(clock.pendingTimers).toBe(1);
    clock.advance(60_000);
    await store.flush();
    expect(clock.pendingTimers).toBe(0);
    expect(JSON.parse(await readFile(file, "utf8"))).toMatchObject({
      version: 1,
      history: { series: [{ caller: "cli", server: "files", tool: "read", outcome: "complete" }] },
    });
  });

  it("adds up the counts of several processes", async () => {
    const { open, record } = await storeIn();
    const stores = [open(), open(), open()];
    for (const round of [1, 2]) {
      for (const store of stores) for (let n = 0; n < round; n++) record(store);
      await Promise.all(stores.map((store) => store.flush()));
    }
    record(stores[0]!);
    expect(await Promise.all(stores.map(async (store) => (await store.stats()).calls))).toEqual([10, 9, 9]);
    await Promise.all(stores.map((store) => store.close()));
    expect((await open().stats()).calls).toBe(10);
  });

  it("adds up the counts that several processes write at the same time", async () => {
    const { file, open } = await storeIn();
    const program = `
      import { CallStatsStore } from "#activity/call-stats-store.js";
      const clock = { now: () => ${START}, after: () => () => {} };
      const store = new CallStatsStore({ file: () => ${JSON.stringify(file)}, clock, onFailed: (error) => { throw error; } });
      for (let round = 0; round < 5; round++) {
        for (let n = 0; n < 20; n++) store.record({ ...${JSON.stringify(endedCall({ at: START }))}, server: "s" + process.pid });
        await store.flush();
      }
      await store.close();`;
    const runs = await Promise.all([1, 2, 3].map(() => runChild(program)));
    expect(runs).toMatchObject(runs.map(() => ({ code: 0, output: "" })));
    const { calls, groups } = await open().stats();
    expect([calls, groups.map((group) => group.calls)]).toEqual([300, [100, 100, 100]]);
  });

  it("counts the series beyond the first 1 000 of all processes as one", async () => {
    const { open, record } = await storeIn();
    const stores = [open(), open()];
    for (let n = 0; n < 1200; n++) record(stores[n % 2]!, { tool: `t${n}` });
    for (const store of stores) await store.flush();
    const { calls, groups } = await open().stats({ by: "tool" });
    expect([calls, groups.length, groups[0]]).toMatchObject([1200, 1001, { calls: 200 }]);
    expect(groups[0]).not.toHaveProperty("server");
  });

  it("merges the series of the oldest buckets if the file has too many rows", async () => {
    const { clock, file, open, record } = await storeIn();
    const store = open();
    for (let interval = 0; interval < 10; interval++) {
      for (let n = 0; n < 500; n++) record(store, { tool: `t${n}` });
      clock.advance(10_000);
    }
    await store.flush();
    const rows = (await readFile(file, "utf8")).split("\n").filter((line) => line.trimStart().startsWith('"10 '));
    expect(rows.length).toBeLessThanOrEqual(3000);
    const { calls, buckets, groups } = await store.stats({ spanMs: 300_000, by: "tool" });
    expect([calls, buckets.filter((bucket) => bucket.calls === 500).length]).toEqual([5000, 10]);
    expect(groups.find(({ tool }) => tool === "t0")!.counts.slice(-6)).toEqual([1, 1, 1, 1, 1, 0]);
  });

  it("keeps buckets of an hour for 60 days, and shorter buckets for a shorter time", async () => {
    const { clock, file, open, record } = await storeIn();
    const store = open();
    record(store);
    await store.flush();
    const lengths = async () => {
      const { history } = JSON.parse(await readFile(file, "utf8")) as { history: { rows: string[] } };
      return history.rows.map((row) => Number(row.split(" ")[0])).toSorted((a, b) => a - b);
    };
    expect(await lengths()).toEqual([10, 60, 900, 3600]);
    clock.advance(2 * 24 * HOUR_MS);
    record(store);
    await store.flush();
    expect(await lengths()).toEqual([10, 60, 900, 3600, 3600]);
    clock.advance(59 * 24 * HOUR_MS);
    record(store);
    await store.flush();
    expect((await store.stats({ spanMs: 60 * 24 * HOUR_MS })).calls).toBe(2);
  });

  it.each([
    ["is not JSON", "{"],
    ["has another version", '{"version": 7}'],
    ["has rows of unknown series", '{"version": 1, "history": {"series": [], "rows": ["10 1 0 1 0 0 0"]}}'],
    ["has rows with text instead of numbers", '{"version": 1, "history": {"series": [], "rows": ["10 1 -1 one"]}}'],
  ])("renames a file that %s, reports it, and starts from zero", async (_, text) => {
    const { folder, file, failures, open, record } = await storeIn();
    await writeFile(file, text);
    const store = open();
    record(store);
    await store.flush();
    expect((await open().stats()).calls).toBe(1);
    expect(await readFile(`${file}.damaged`, "utf8")).toBe(text);
    expect(failures).toMatchObject([
      {
        code: "STORE_UNREADABLE",
        message: `${file} can't be used: it is damaged, so the statistics of calls start from zero. The file was moved to ${file}.damaged. Delete it if you don't need it.`,
      },
    ]);
    expect(await readdir(folder)).toHaveLength(2);
    await writeFile(file, `${text} again`);
    expect((await open().stats()).calls).toBe(0);
    expect(failures).toMatchObject([{}, { details: { movedTo: `${file}.damaged.2` } }]);
    expect(await readFile(`${file}.damaged`, "utf8")).toBe(text);
  });

  it("keeps its counts while the disk fails, reports that once, and writes them later", async () => {
    const { folder, failures, open, record } = await storeIn({ name: "blocked/call-stats.json" });
    await writeFile(join(folder, "blocked"), "");
    const store = open();
    for (const _ of [1, 2]) {
      record(store);
      await store.flush();
    }
    expect(failures).toMatchObject([{ code: "STORE_UNWRITABLE" }]);
    expect((await store.stats()).calls).toBe(2);
    await rm(join(folder, "blocked"));
    await store.flush();
    expect((await open().stats()).calls).toBe(2);
  });

  it("keeps its counts in memory if the host does not persist its state", async () => {
    const { folder, open, record } = await storeIn({ persist: false });
    const store = open();
    record(store);
    await store.flush();
    record(store);
    expect((await store.stats()).calls).toBe(2);
    expect(await readdir(folder)).toEqual([]);
  });
});
