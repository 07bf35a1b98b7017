import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "record-frames-"))));
afterEach(() => rmSync(folder, { recursive: true }));

const sent = { direction: "sent", revision: "2026-07-28", role: "client", message: { jsonrpc: "2.0", method: "x" } };
const answer = { ...sent, answers: "roots/list", message: { jsonrpc: "2.0", id: 1, result: {} } };
const received = { ...sent, direction: "received" };

/** Publishes three frames in the main thread of a new process, and then in a second thread. */
function publishAll(PLUGBOARD_WIRE_DIR: string): void {
  const script = join(folder, "publish.mjs");
  writeFileSync(
    script,
    `import { channel } from "node:diagnostics_channel";
    import { isMainThread, Worker } from "node:worker_threads";
    for (const frame of ${JSON.stringify([sent, received, answer])}) channel("plugboard.wire").publish(frame);
    if (isMainThread) new Worker(new URL(import.meta.url));`,
  );
  const preload = `--import=${import.meta.resolve("@plugboard/testkit/record-frames")}`;
  execFileSync(process.execPath, [preload, script], { env: { ...process.env, PLUGBOARD_WIRE_DIR } });
}

it("record-frames writes each sent frame as one line, from every thread", () => {
  const target = join(folder, "made", "on", "demand");
  publishAll(target);
  const [file, ...others] = readdirSync(target);
  expect(others).toEqual([]);
  expect(file).toMatch(/^\d+\.jsonl$/);
  const frames = readFileSync(join(target, file!), "utf8").trimEnd().split("\n");
  const restored = frames.map((line) => ({ direction: "sent", ...(JSON.parse(line) as object) }));
  expect(restored).toEqual([sent, answer, sent, answer]);
});

it("record-frames writes nothing without a folder", () => {
  publishAll("");
  expect(readdirSync(folder)).toEqual(["publish.mjs"]);
});
