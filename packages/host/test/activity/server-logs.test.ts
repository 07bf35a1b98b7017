/** Tests the logs of servers on a real disk, with a manual clock. */
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { appendToServerLog } from "#activity/append-to-server-log.js";
import { LogLineReader } from "#activity/log-line-reader.js";
import { followServerLog, readServerLog } from "#activity/read-server-log.js";
import type { ServerLogLine } from "@plugboard/contracts";
import { ServerLogs } from "#activity/server-logs.js";
import { createRedactor } from "@plugboard/config";
import { describe, expect, it, onTestFinished } from "vitest";
import { ManualClock } from "../../../contracts/test/helpers/manual-clock.ts";

const CANARY = "canary-7f3b9e2d41";

async function logsIn({ secrets = [] as string[], maxFileBytes = 1024 * 1024 } = {}) {
  const state = await mkdtemp(join(tmpdir(), "plugboard-logs-"));
  onTestFinished(() => rm(state, { recursive: true, force: true }));
  const env = { XDG_STATE_HOME: state };
  const folder = join(state, "plugboard", "logs");
  const failures: unknown[] = [];
  const clock = new ManualClock();
  const logs = new ServerLogs({ folder, clock, maxFileBytes, onFailed: (error) => void failures.push(error) });
  const record = logs.recorder("files", createRedactor(secrets));
  const print = (text: string | Buffer) => record({ stream: "stderr", chunk: Buffer.from(text) });
  const read = async (maxLines = 1000) => (await readServerLog(env, "files", maxLines)) ?? [];
  return { env, folder, clock, logs, record, print, read, failures };
}

function texts(lines: readonly ServerLogLine[]): string[] {
  return lines.map((line) => ("text" in line ? line.text : `${line.bytes} bytes lost`));
}

describe("ServerLogs", () => {
  it("writes stderr lines and log messages to a file that only its owner can read", async () => {
    const { logs, print, record, read, folder, clock } = await logsIn();
    clock.advance(5000);
    print("first\nsec");
    print("ond\r\n\n");
    record({ stream: "log", entry: { level: "warning", logger: "db", data: { rows: 3 } } });
    await logs.close();
    expect(await read()).toEqual([
      { at: 5000, stream: "stderr", text: "first" },
      { at: 5000, stream: "stderr", text: "second" },
      { at: 5000, stream: "log", level: "warning", logger: "db", text: '{"rows":3}' },
    ]);
    expect((await stat(join(folder, "server-files.jsonl"))).mode & 0o777).toBe(0o600);
  });

  it("removes colour codes, and masks a secret that has one inside", async () => {
    const { logs, print, read } = await logsIn({ secrets: [CANARY] });
    print(`\u001b[33mwarn\u001b[0m ${CANARY.slice(0, 5)}\u001b[1m${CANARY.slice(5)}\n\u001b[2K\n`);
    await logs.close();
    const written = texts(await read());
    expect(written).toEqual([expect.stringMatching(/^warn /)]);
    expect(written[0]).not.toContain(CANARY);
  });

  it("writes in the background, a quarter of a second after the first line", async () => {
    const { print, clock, read } = await logsIn();
    print("hello\n");
    clock.advance(249);
    expect(await read()).toEqual([]);
    clock.advance(1);
    await expect.poll(async () => texts(await read())).toEqual(["hello"]);
  });

  it("ends an incomplete line when the server is silent until the next write", async () => {
    const { print, clock, read, logs } = await logsIn();
    print("hello\nlast words");
    clock.advance(250);
    await expect.poll(async () => texts(await read())).toEqual(["hello"]);
    // The next write is scheduled only after this one has finished.
    await expect.poll(async () => (clock.advance(250), texts(await read()))).toEqual(["hello", "last words"]);
    await logs.close();
  });

  it("keeps only the end of a flood of output, and says how much is missing", async () => {
    const { print, logs, read, folder } = await logsIn({ maxFileBytes: 40_000 });
    for (let line = 0; line < 100_000; line++) print(`line ${line}\n`);
    await logs.close();
    const lines = await read();
    expect(lines[0]).toMatchObject({ stream: "lost", bytes: expect.any(Number) });
    expect(texts(lines).at(-1)).toBe("line 99999");
    expect((await stat(join(folder, "server-files.jsonl"))).size).toBeLessThan(64 * 1024);
  });

  it(
    "masks secrets that the output splits into several chunks or long lines",
    { meta: { covers: ["A12"] } },
    async () => {
      const { print, record, logs, folder } = await logsIn({ secrets: [CANARY] });
      print(`token=${CANARY.slice(0, 5)}`);
      print(`${CANARY.slice(5)}\n`);
      print(`${"x".repeat(8 * 1024 - 9)}${CANARY}\n`);
      record({ stream: "log", entry: { level: "info", logger: CANARY, data: [{ deep: CANARY }] } });
      await logs.close();
      const text = await readFile(join(folder, "server-files.jsonl"), "utf8");
      expect(text).toContain("token=***");
      expect(text).not.toContain(CANARY);
      expect(text).not.toContain(CANARY.slice(0, 9));
      expect(text).not.toContain(CANARY.slice(9));
    },
  );

  it("reports a failed write once, and writes later output", async () => {
    const { print, clock, read, failures, folder, logs } = await logsIn();
    await mkdir(join(folder, ".."), { recursive: true });
    await writeFile(folder, "a file in its place");
    for (const text of ["one\n", "two\n"]) {
      print(text);
      clock.advance(250);
      await expect.poll(() => failures).toMatchObject([{ code: "STORE_UNWRITABLE" }]);
    }
    await rm(folder);
    print("three\n");
    await logs.close();
    expect(failures).toHaveLength(1);
    expect(texts(await read()).at(-1)).toBe("three");
  });

  it("writes nothing for an id that would leave the folder", { meta: { covers: ["A10"] } }, async () => {
    const { logs, folder, env } = await logsIn();
    logs.recorder("../../evil", undefined)({ stream: "stderr", chunk: Buffer.from("x\n") });
    await logs.close();
    await expect(readdir(join(folder, "..", ".."))).resolves.toEqual([]);
    await expect(readServerLog(env, "../../evil", 10)).resolves.toBeUndefined();
  });
});

describe("LogLineReader", () => {
  it("decodes a character whose bytes arrive in two chunks", () => {
    const bytes = Buffer.from("grüße 🔌\n");
    for (let cut = 0; cut <= bytes.length; cut++) {
      const parts = [bytes.subarray(0, cut), bytes.subarray(cut)].map((chunk) => ({ at: 1, chunk }));
      expect(texts(new LogLineReader(undefined).read(parts, 0))).toEqual(["grüße 🔌"]);
    }
  });
});

describe("appendToServerLog", () => {
  it("starts a new file when the file is full, and keeps one older file", async () => {
    const { folder, read } = await logsIn();
    const line = (at: number) => ({ at, stream: "stderr" as const, text: "x".repeat(400) });
    for (let at = 0; at < 10; at++) await appendToServerLog({ folder, maxFileBytes: 1000 }, "files", [line(at)]);
    expect((await readdir(folder)).sort()).toEqual(["server-files.jsonl", "server-files.older.jsonl"]);
    expect((await read()).map(({ at }) => at)).toEqual([6, 7, 8, 9]);
  });
});

describe("readServerLog", () => {
  it("skips incomplete and unknown lines, and returns the last valid ones", async () => {
    const { folder, read } = await logsIn();
    await mkdir(folder, { recursive: true });
    const lines = [
      '{"at":1,"stream":"stderr","text":"a"}',
      '{"at":2,"stream":"x"}',
      "[]",
      '{"at":3,"stream":"lost","bytes":4}',
    ];
    await writeFile(join(folder, "server-files.jsonl"), `${lines.join("\n")}\n{"at":`);
    expect((await read()).map(({ at }) => at)).toEqual([1, 3]);
    expect((await read(1)).map(({ at }) => at)).toEqual([3]);
    expect(await read(0)).toEqual([]);
  });
});

describe("followServerLog", () => {
  it("passes on each line once, also when a new file is started", async () => {
    const { env, folder } = await logsIn();
    const line = (at: number) => ({ at, stream: "stderr" as const, text: "x".repeat(400) });
    const append = (at: number) => appendToServerLog({ folder, maxFileBytes: 1000 }, "files", [line(at)]);
    for (const at of [0, 1, 2]) await append(at);
    const seen: number[] = [];
    const stop = new AbortController();
    const events = new EventTarget();
    const done = followServerLog(env, "files", {
      maxLines: 2,
      signal: stop.signal,
      onLines: (lines) => {
        seen.push(...lines.map(({ at }) => at));
        events.dispatchEvent(new Event("lines"));
      },
    });
    await once(events, "lines");
    // A new file is started between the first two lines, before they are read.
    await append(3);
    await append(4);
    await expect.poll(() => seen.at(-1)).toBe(4);
    await append(5);
    await expect.poll(() => seen.at(-1)).toBe(5);
    stop.abort();
    await done;
    expect(seen).toEqual([1, 2, 3, 4, 5]);
  });
});
