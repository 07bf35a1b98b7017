/** Contract tests of resource subscriptions, in process and over the socket, with servers of both eras. */
import type { HostApi, HostEvent, Workspace } from "@plugboard/contracts";
import { everythingStdio, modernStdio, scriptedLegacy, skillsStdio } from "@plugboard/testkit/start-server";
import { describe, expect, it, vi } from "vitest";
import { chatSpec, scriptedModel } from "./helpers/chat-fixtures.ts";
import { HOSTS, openWorkspace, startForProgram } from "./helpers/contract-hosts.ts";

const NOTE = "note://today";

/** Collects the updates that a caller gets from now on. */
async function followUpdates(api: HostApi, workspace: Workspace) {
  const { seq } = await workspace.snapshot();
  const updates: Extract<HostEvent, { type: "resource.updated" }>[] = [];
  const follow = async () => {
    for await (const event of api.events(seq)) if (event.type === "resource.updated") updates.push(event);
  };
  // The events end with the host.
  void follow().catch(() => {});
  return updates;
}

const write = ({ tools }: Workspace, text: string) => tools.call("k:write", { uri: NOTE, text });
const subscriptionsAt = async ({ tools }: Workspace): Promise<unknown> => {
  const [block] = (await tools.call("k:subscriptions")).content;
  return JSON.parse((block as { text: string }).text);
};

describe.each(HOSTS)("resource subscriptions %s", (_, start) => {
  it.each(["legacy", "modern"] as const)(
    "share one subscription at a %s server between callers, and end with their last caller",
    async (era) => {
      const connect = await start();
      const [ann, bob, carl] = [await connect("program"), await connect("cli"), await connect("program")];
      const servers = { k: { ...skillsStdio(era), cwd: process.cwd() } };
      const spec = { servers, cwd: process.cwd() };
      const [anns, bobs, carls] = [
        await openWorkspace(ann, spec),
        await openWorkspace(bob, spec),
        await openWorkspace(carl, spec),
      ];
      const [annsUpdates, bobsUpdates, carlsUpdates] = await Promise.all([
        followUpdates(ann, anns),
        followUpdates(bob, bobs),
        followUpdates(carl, carls),
      ]);
      await Promise.all([anns.resources.subscribe("k", NOTE), bobs.resources.subscribe("k", NOTE)]);
      await anns.resources.subscribe("k", NOTE);
      expect(await subscriptionsAt(anns)).toEqual([NOTE]);
      await write(anns, "one");
      const update = { type: "resource.updated", server: "k", uri: NOTE };
      await vi.waitFor(() => {
        expect(annsUpdates).toMatchObject([{ ...update, caller: ann.caller }]);
        expect(bobsUpdates).toMatchObject([{ ...update, caller: bob.caller }]);
      });
      expect(await bobs.resources.read("k", NOTE)).toMatchObject([{ text: "one" }]);

      await anns.resources.unsubscribe("k", NOTE);
      await anns.resources.unsubscribe("k", NOTE);
      expect(await subscriptionsAt(bobs)).toEqual([NOTE]);
      await write(anns, "two");
      await vi.waitFor(() => expect(bobsUpdates).toHaveLength(2));
      expect(annsUpdates).toHaveLength(1);
      // The subscription of a caller ends with its connection to the host.
      await bob.close();
      await vi.waitFor(async () => expect(await subscriptionsAt(anns)).toEqual([]));
      expect(carlsUpdates).toEqual([]);
    },
  );

  it.each(["legacy", "modern"] as const)("continue after a %s server has reconnected", async (era) => {
    const api = await startForProgram(start);
    const workspace = await openWorkspace(api, { servers: { k: skillsStdio(era) } });
    const updates = await followUpdates(api, workspace);
    await workspace.resources.subscribe("k", NOTE);
    await workspace.servers.reconnect("k");
    // Updates may have been missed meanwhile, so the reconnect is reported as an update.
    await vi.waitFor(() => expect(updates).toHaveLength(1));
    await vi.waitFor(async () => expect(await subscriptionsAt(workspace)).toEqual([NOTE]));
    await write(workspace, "after");
    await vi.waitFor(() => expect(updates).toHaveLength(2));
  });

  it("in the workspace of a chat end with their caller", async () => {
    const connect = await start();
    const [ann, bob] = [await connect("cli"), await connect("cli")];
    const { env } = await scriptedModel();
    const { chat } = await ann.chats.create(await chatSpec(env, { servers: { k: skillsStdio("legacy") } }));
    await bob.chats.resume(chat.id);
    const [anns, bobs] = [await ann.chatWorkspace(chat.id), await bob.chatWorkspace(chat.id)];
    await bobs.resources.subscribe("k", NOTE);
    expect(await subscriptionsAt(anns)).toEqual([NOTE]);
    await bob.close();
    await vi.waitFor(async () => expect(await subscriptionsAt(anns)).toEqual([]));
  });

  it("are accepted by servers that declare them, and rejected by other servers", async () => {
    const servers = { every: everythingStdio(), m: modernStdio(), s: scriptedLegacy() };
    const workspace = await openWorkspace(await startForProgram(start), { servers });
    await workspace.start();
    for (const server of ["every", "m"]) {
      expect((await workspace.servers.detail(server)).capabilities).toContain("resources.subscribe");
      const [resource] = (await workspace.resources.list({ server })).resources;
      await workspace.resources.subscribe(server, resource!.uri);
    }
    expect((await workspace.servers.detail("s")).capabilities).toEqual(["tools"]);
    await expect(workspace.resources.subscribe("s", NOTE)).rejects.toMatchObject({ code: "NOT_OFFERED" });
    await expect(workspace.resources.subscribe("x", NOTE)).rejects.toMatchObject({ code: "SERVER_UNKNOWN" });
    await expect(workspace.resources.subscribe("m", "")).rejects.toMatchObject({ code: "INVALID_ARGUMENTS" });
  });
});

// These parts have the same code in both kinds of host, so one kind is enough.
describe("resource subscriptions of a host", () => {
  const [, start] = HOSTS[0]!;

  it("continue with the new connection of a server whose definition has changed", async () => {
    const api = await startForProgram(start);
    const workspace = await openWorkspace(api, { servers: { k: skillsStdio("legacy") } });
    await workspace.resources.subscribe("k", NOTE);
    const updates = await followUpdates(api, workspace);
    await workspace.servers.set({ k: { ...skillsStdio("legacy"), env: { CHANGED: "yes" } } });
    await vi.waitFor(async () => expect(await subscriptionsAt(workspace)).toEqual([NOTE]));
    await vi.waitFor(() => expect(updates).toHaveLength(1));
  });

  it("turn a flood of updates into few events, and always report the last update", async () => {
    const api = await startForProgram(start);
    const workspace = await openWorkspace(api, { servers: { k: skillsStdio("modern") } });
    const updates = await followUpdates(api, workspace);
    await workspace.resources.subscribe("k", NOTE);
    for (let count = 0; count < 200; count++) await write(workspace, `update ${count}`);
    const lastWrite = Date.now();
    await vi.waitFor(() => expect(updates.at(-1)?.at).toBeGreaterThanOrEqual(lastWrite - 1));
    expect(updates.length).toBeGreaterThan(1);
    for (const [index, { at }] of updates.slice(1).entries()) expect(at - updates[index]!.at).toBeGreaterThan(900);
  });

  it("are limited for each caller, and released with the workspace", async () => {
    const connect = await start();
    const [api, other] = [await connect("program"), await connect("cli")];
    const spec = { servers: { k: skillsStdio("legacy") }, cwd: process.cwd() };
    const [workspace, others] = [await openWorkspace(api, spec), await openWorkspace(other, spec)];
    const uris = Array.from({ length: 64 }, (__, index) => `note://${index}`);
    await Promise.all(uris.map((uri) => workspace.resources.subscribe("k", uri)));
    await expect(workspace.resources.subscribe("k", NOTE)).rejects.toMatchObject({
      code: "TOO_MANY_SUBSCRIPTIONS",
      details: { limit: 64 },
    });
    await others.resources.subscribe("k", NOTE);
    expect(await subscriptionsAt(others)).toHaveLength(65);
    await workspace.release();
    await vi.waitFor(async () => expect(await subscriptionsAt(others)).toEqual([NOTE]));
  });
});
