/** Tests that the history of a chat is appended to, and written as a whole only if it was replaced. */
import type { ChatMessage } from "@plugboard/contracts";
import { appendFile, mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EMPTY_HISTORY } from "@plugboard/agent";
import { HistoryFile } from "#chats/history-file.js";
import type { StoredHistory } from "#chats/history-file.js";
import { describe, expect, it, onTestFinished } from "vitest";

async function makeFile() {
  const folder = await mkdtemp(join(tmpdir(), "plugboard-history-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, "x.jsonl");
  return { path, file: new HistoryFile(path) };
}

const said = (text: string): ChatMessage => ({ role: "user", content: [{ type: "text", text }] });
const NOTHING: StoredHistory = { ...EMPTY_HISTORY, running: false };
const withMessages = (...messages: readonly ChatMessage[]): StoredHistory => ({ ...NOTHING, messages });

describe("HistoryFile", () => {
  it("appends only new messages", async () => {
    const { path, file } = await makeFile();
    const first = withMessages(said("one"));
    await file.write(first);
    const { ino } = await stat(path);
    const second: StoredHistory = { ...first, messages: [...first.messages, said("two")], toolOrder: ["a"] };
    await file.write(second);
    await file.write({ ...second });
    const third: StoredHistory = { ...second, measured: { tokens: 7, messages: 2 }, running: true };
    await file.write(third);
    expect((await stat(path)).ino).toBe(ino);
    expect((await readFile(path, "utf8")).trimEnd().split("\n")).toEqual([
      '{"version":1}',
      JSON.stringify({ message: said("one") }),
      JSON.stringify({ message: said("two") }),
      '{"toolOrder":["a"]}',
      '{"measured":{"tokens":7,"messages":2},"running":true}',
    ]);
    expect(await new HistoryFile(path).read()).toEqual(third);
  });

  it("appends to a history that it has read", async () => {
    const { path, file } = await makeFile();
    await file.write(withMessages(said("one")));
    const { ino } = await stat(path);
    const resumed = new HistoryFile(path);
    const history = (await resumed.read())!;
    await resumed.write({ ...history, messages: [...history.messages, said("two")] });
    expect((await stat(path)).ino).toBe(ino);
    expect(await new HistoryFile(path).read()).toEqual(withMessages(said("one"), said("two")));
  });

  it("replaces a history that was compacted or cleared", async () => {
    const { path, file } = await makeFile();
    await file.write(withMessages(said("one"), said("two"), said("three")));
    await file.write(withMessages(said("summary"), said("three")));
    expect(await new HistoryFile(path).read()).toEqual(withMessages(said("summary"), said("three")));
    await file.write(NOTHING);
    expect(await new HistoryFile(path).read()).toEqual(NOTHING);
  });

  it.each([
    '{"usage":null}',
    '{"usage":{}}',
    '{"toolOrder":"a"}',
    '{"measured":7}',
    '{"running":"yes"}',
    '{"message":1}',
  ])("reports a line of the wrong type as damage: %s", async (line) => {
    const { path, file } = await makeFile();
    await file.write(withMessages(said("one")));
    await appendFile(path, `${line}\n`);
    await expect(new HistoryFile(path).read()).rejects.toMatchObject({ code: "STORE_UNREADABLE" });
  });
});
