/** Tests how chats are stored, listed, locked and removed. */
import { randomUUID } from "node:crypto";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ChatStore, toStoredSpec } from "#chats/chat-store.js";
import type { StoredChat } from "#chats/chat-store.js";
import type { StoredHistory } from "#chats/history-file.js";
import { describe, expect, it, onTestFinished } from "vitest";

async function makeStateFolder() {
  const folder = await mkdtemp(join(tmpdir(), "plugboard-chats-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

const HISTORY = {
  messages: [{ role: "user", content: [{ type: "text", text: "Hi" }] }],
  toolOrder: [],
  usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
  measured: { tokens: 0, messages: 0 },
  running: false,
} as unknown as StoredHistory;

async function storeChat(store: ChatStore, id: string = randomUUID()): Promise<StoredChat> {
  const chat = { info: { id, title: "Hi" }, spec: { cwd: "/" } } as unknown as StoredChat;
  await store.saveHistory(id, HISTORY);
  await store.saveInfo(chat);
  return chat;
}

describe("ChatStore", () => {
  it("returns what was stored, also to another host", async () => {
    const folder = await makeStateFolder();
    const chat = await storeChat(new ChatStore(folder));
    const other = new ChatStore(folder);
    expect(await other.find(chat.info.id)).toEqual(chat);
    expect(await other.history(chat.info.id)).toEqual(HISTORY);
  });

  it("removes both files of a chat, and returns whether the chat was stored", async () => {
    const folder = await makeStateFolder();
    const store = new ChatStore(folder);
    const { info } = await storeChat(store);
    expect(await store.remove(randomUUID())).toBe(false);
    expect(await store.remove(info.id)).toBe(true);
    expect(await readdir(join(folder, "chats"))).toEqual([]);
    expect(await store.find(info.id)).toBeUndefined();
    expect(await store.remove(info.id)).toBe(false);
  });

  it("keeps another host from opening a chat until it is closed", async () => {
    const folder = await makeStateFolder();
    const [first, second] = [new ChatStore(folder), new ChatStore(folder)];
    const id = randomUUID();
    await first.open(id);
    await first.open(id);
    await expect(second.open(id)).rejects.toMatchObject({ code: "CHAT_BUSY" });
    await first.close(id);
    await second.open(id);
    await second.close(id);
  });

  it("reads a closed chat again if another host has changed it", async () => {
    const folder = await makeStateFolder();
    const [first, second] = [new ChatStore(folder), new ChatStore(folder)];
    const { id } = (await storeChat(first)).info;
    await first.close(id);
    const longer = { ...HISTORY, messages: [...HISTORY.messages, ...HISTORY.messages] };
    await second.saveHistory(id, longer);
    await first.saveHistory(id, HISTORY);
    expect(await new ChatStore(folder).history(id)).toEqual(HISTORY);
  });

  it("stores nothing for an id that is no UUID, or without a folder", async () => {
    const folder = await makeStateFolder();
    await storeChat(new ChatStore(folder), "../outside");
    expect(await readdir(folder)).toEqual([]);
    const inMemory = new ChatStore(undefined);
    const { id } = (await storeChat(inMemory)).info;
    await inMemory.open(id);
    expect([await inMemory.find(id), await inMemory.list(), await inMemory.remove(id)]).toEqual([undefined, [], false]);
  });
});

describe("ChatStore.list", () => {
  it("leaves out other files and chats whose info is damaged", async () => {
    const folder = await makeStateFolder();
    const store = new ChatStore(folder);
    const chat = await storeChat(store);
    const { info, spec } = chat;
    for (const damaged of [
      { info },
      { spec },
      { info: { id: info.id }, spec },
      { info: { title: "Hi" }, spec },
      { info, spec: {} },
    ])
      await writeFile(join(folder, "chats", `${randomUUID()}.chat.json`), JSON.stringify({ chat: damaged }));
    await writeFile(join(folder, "chats", `${info.id}.other`), JSON.stringify({ chat }));
    expect(await store.list()).toEqual([chat]);
  });

  it("is empty before the first chat is stored", async () => {
    expect(await new ChatStore(await makeStateFolder()).list()).toEqual([]);
  });

  it("throws STORE_UNREADABLE if the folder of the chats can't be read", async () => {
    const folder = await makeStateFolder();
    await writeFile(join(folder, "chats"), "not a folder");
    await expect(new ChatStore(folder).list()).rejects.toMatchObject({
      code: "STORE_UNREADABLE",
      details: { file: join(folder, "chats"), reason: "ENOTDIR" },
    });
  });
});

it("a chat is stored with everything that is needed to open it again, except values that may contain secrets", () => {
  const stored = {
    cwd: "/",
    configFiles: ["a.json"],
    exclude: ["b"],
    naming: "{server}.{tool}",
    profile: "review",
    model: "own/model",
    nativeTools: false,
    system: "Be kind.",
    limits: { steps: 2 },
  };
  const rest = { env: { KEY: "secret" }, servers: {}, permissions: {}, temporary: false };
  expect(toStoredSpec({ ...stored, ...rest })).toEqual(stored);
  expect(Object.keys(toStoredSpec({ cwd: "/" }))).toEqual(["cwd"]);
});
