/** Tests the chats of a host: the profile of a chat, its model, and which chats are open. */
import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import type { HostError } from "@plugboard/contracts";
import { systemClock } from "@plugboard/gateway";
import { createBareHost } from "@plugboard/host/internal";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { describe, expect, it, onTestFinished } from "vitest";
import { ChatRegistry } from "#chats/chat-registry.js";
import { testEnv } from "../helpers/running-host.ts";

const caller = { kind: "cli", id: "1" } as const;

async function openChats(config: object = {}) {
  const { env, remove } = await testEnv();
  await writeFile(env.PLUGBOARD_CONFIG_PATH, JSON.stringify({ mcp: config }));
  const host = await createBareHost({ env, lingerMs: 0 });
  const registry = new ChatRegistry({ host, clock: systemClock, newId: randomUUID });
  onTestFinished(async () => {
    await registry.close();
    await host.close();
    await remove();
  });
  return { host, registry, chats: registry.for(caller), spec: { cwd: env.HOME, nativeTools: false } };
}

describe("a chat with a profile", () => {
  /** Calls three tools for a caller without a user. */
  async function callTools(permissions: object, ofProfile: object) {
    const { host, registry, chats, spec } = await openChats({
      servers: { s: scriptedLegacy() },
      profiles: { p: { servers: ["s"], permissions: ofProfile } },
    });
    const { chat } = await chats.create({ ...spec, profile: "p", permissions });
    expect([chat.profile, host.openWorkspaces]).toEqual(["p", 1]);
    const { tools } = host.bind(registry.workspace(chat.id, caller), { kind: "chat", id: chat.id });
    const call = (tool: string, args: { [name: string]: string | number }) =>
      tools.call({ server: "s", tool }, args).then(
        () => "ok",
        ({ code }: HostError) => code,
      );
    return [await call("env", {}), await call("echo", { text: "hi" }), await call("progress", { steps: 0 })];
  }

  it("applies the rules of the profile as if they were its own", async () => {
    const rules = { allow: ["s:*"], ask: ["s:echo"], deny: ["s:progress"] };
    const expected = ["ok", "NOBODY_TO_ASK", "TOOL_DENIED"];
    expect(await callTools(rules, {})).toEqual(expected);
    expect(await callTools({}, rules)).toEqual(expected);
  });

  it("is not opened if there is no such profile", async () => {
    const { host, registry, chats, spec } = await openChats();
    await expect(chats.create({ ...spec, profile: "missing" })).rejects.toMatchObject({ code: "NOT_FOUND" });
    expect([host.openWorkspaces, registry.openChats]).toEqual([0, 0]);
    expect(await chats.list()).toEqual([]);
  });
});
