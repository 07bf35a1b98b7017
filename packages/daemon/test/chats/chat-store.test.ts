/** Tests the list of stored chats. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ChatStore } from "#chats/chat-store.js";
import { describe, expect, it, onTestFinished } from "vitest";

async function makeStateFolder() {
  const folder = await mkdtemp(join(tmpdir(), "plugboard-chats-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

describe("ChatStore.list", () => {
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
