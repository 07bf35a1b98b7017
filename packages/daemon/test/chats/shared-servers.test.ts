/** Tests that the chats of a running host share their servers. */
import { serversOf, waitUntilDead } from "@plugboard/testkit/process-alive";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { expect, it } from "vitest";
import { isChatEvent, setup, startHost, waitFor } from "../helpers/host-process.ts";

const COVERS = { meta: { covers: ["R0.46"] } };

it("three chats with the same five servers use five processes, which end with the host", COVERS, async () => {
  const ids = ["a", "b", "c", "d", "e"];
  const calls = { parts: ids.map((id) => ({ call: `mcp__${id}__echo`, args: { text: `I am ${id}` } })) };
  const done = { parts: [{ text: "Done." }] };
  const { model, env, cwd, options } = await setup(calls, done, calls, done, calls, done);
  const { api, pid, kill } = await startHost(env);
  expect(serversOf(pid)).toEqual([]);
  const servers = Object.fromEntries(ids.map((id) => [id, { ...scriptedLegacy(), env: { SERVER: id } }]));
  for (let chats = 1; chats <= 3; chats++) {
    const { chat, seq } = await api.chats.create({ cwd, ...options, servers });
    await api.chats.send(chat.id, { text: "Ask all of them" });
    await waitFor(api, seq, isChatEvent("turn.finished"));
    expect(serversOf(pid)).toHaveLength(5);
    const { results } = model.requests[2 * chats - 1]!;
    for (const [index, id] of ids.entries()) expect(results[index]?.text).toContain(`I am ${id}`);
  }
  expect(await api.chats.list()).toHaveLength(3);
  const pids = serversOf(pid);
  await kill();
  for (const server of pids) await waitUntilDead(server, 10_000);
});
