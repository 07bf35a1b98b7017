/** Tests the chats of a host: the profile of a chat, its model, and a chat that can't be stored. */
import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { HostError, Clock } from "@plugboard/contracts";
import { systemClock } from "@plugboard/contracts";
import { createBareHost } from "@plugboard/host/core";
import { ensureStateFolder } from "@plugboard/store";
import { startModelServer } from "@plugboard/testkit/model-server";
import type { ScriptedAnswer } from "@plugboard/testkit/model-server";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { ChatModels } from "#chats/chat-models.js";
import { ChatRegistry } from "#chats/chat-registry.js";
import { testEnv } from "../helpers/running-host.ts";
import { ManualClock } from "../../../contracts/test/helpers/manual-clock.ts";

const caller = { kind: "cli", id: "1" } as const;

async function openChats(config: object = {}, clock: Clock = systemClock) {
  const { env, remove } = await testEnv();
  await writeFile(env.PLUGBOARD_CONFIG_PATH, JSON.stringify({ mcp: config }));
  const host = await createBareHost({ env, lingerMs: 0 });
  const registry = new ChatRegistry({ host, clock, newId: randomUUID });
  onTestFinished(async () => {
    await registry.close();
    await host.close();
    await remove();
  });
  return { host, registry, chats: registry.for(caller), spec: { cwd: env.HOME, nativeTools: false } };
}

async function openModel(...script: readonly ScriptedAnswer[]) {
  const model = await startModelServer(...script);
  onTestFinished(() => model.close());
  return { env: { ANTHROPIC_API_KEY: "key", ANTHROPIC_BASE_URL: model.url } };
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

  it("applies the rules of the profile like rules of the chat itself", async () => {
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

it("a chat has native tools only if its caller may use them", async () => {
  const { registry, spec } = await openChats();
  const [owner, program] = [caller, { kind: "api", id: "2" } as const].map((one) => registry.for(one));
  const { chat } = await owner!.create({ cwd: spec.cwd });
  await expect(program!.resume(chat.id)).rejects.toMatchObject({ code: "FORBIDDEN" });
  await expect(program!.create({ cwd: spec.cwd, nativeTools: true })).rejects.toMatchObject({ code: "FORBIDDEN" });
  const { chat: own } = await program!.create({ cwd: spec.cwd });
  expect((await program!.resume(own.id)).chat.id).toBe(own.id);
});

it("a chat stops its timer for slow servers as soon as all servers have listed their tools", async () => {
  const clock = new ManualClock();
  const { chats, spec } = await openChats({}, clock);
  await chats.create(spec);
  await vi.waitFor(() => expect(clock.pendingTimers).toBe(0));
});

it("a registry that closes waits for a chat that is being opened, and closes it", async () => {
  const { host, registry, chats, spec } = await openChats();
  const creating = chats.create(spec).catch(() => undefined);
  await registry.close();
  expect([host.openWorkspaces, registry.openChats]).toEqual([0, 0]);
  await creating;
});

it("a chat that can't be stored works, and the host reports the reason", async () => {
  const { host, chats, spec } = await openChats();
  await writeFile(join(await ensureStateFolder(host.env), "chats"), "in the place of the folder");
  const failed = (async () => {
    for await (const event of host.as("cli").events(0)) if (event.type === "state.failed") return event.error;
    return undefined;
  })();
  const { env } = await openModel({ parts: [{ text: "Hello." }] });
  const { chat } = await chats.create({ ...spec, env, model: "anthropic/scripted" });
  await chats.send(chat.id, { text: "Hi" });
  expect(await failed).toMatchObject({ code: "STORE_UNREADABLE" });
  expect((await chats.resume(chat.id)).messages[0]).toMatchObject({ content: [{ text: "Hi" }] });
});

it("a closed chat has no watchers, and a temporary one is not stored", async () => {
  const { host, chats, spec } = await openChats();
  for (const temporary of [true, false]) {
    const { env } = await openModel({ parts: [{ text: "Hello." }] });
    const { chat } = await chats.create({ ...spec, env, model: "anthropic/scripted", temporary });
    await chats.send(chat.id, { text: "Hi" });
    await vi.waitFor(async () => expect((await chats.resume(chat.id)).messages).toHaveLength(2));
    expect(host.inbox.chatWatchers.of(chat.id)).toHaveLength(1);
    await chats.close(chat.id);
    expect(host.inbox.chatWatchers.of(chat.id)).toEqual([]);
    expect(await chats.list()).toHaveLength(temporary ? 0 : 1);
  }
});

describe("the model of a chat", () => {
  it("is by default the model of the config, and listing the models leaves no workspace open", async () => {
    const { host, chats, spec } = await openChats({ model: { default: "anthropic/scripted" } });
    expect(await chats.models(spec)).toMatchObject({ model: "anthropic/scripted" });
    expect(host.openWorkspaces).toBe(0);
  });

  it.each([
    [401, true],
    [403, true],
    [400, false],
  ])("is opened again after the status %d, because its key may have changed: %j", async (status, again) => {
    const { host, spec } = await openChats();
    const { env } = await openModel({ status });
    const workspace = await host.open(spec);
    const models = new ChatModels(host, workspace, env);
    const open = () => models.open("anthropic/scripted");
    const model = await open();
    expect(await open()).toBe(model);
    const content = [{ type: "text", text: "Hi" }] as const;
    const request = {
      system: "",
      messages: [{ role: "user", content }],
      tools: [],
      signal: new AbortController().signal,
    };
    const parts = model.stream(request as never)[Symbol.asyncIterator]();
    await expect(parts.next()).rejects.toMatchObject({
      code: "MODEL_FAILED",
      details: { status },
    });
    expect((await open()) !== model).toBe(again);
    await host.release(workspace);
  });
});
