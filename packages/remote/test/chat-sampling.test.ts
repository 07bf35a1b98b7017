/** Tests that a server can sample the model of the chat that has called it, with a real server and real SDKs. */
import type { ChatSpec, HostApi } from "@plugboard/contracts";
import type { ScriptedAnswer } from "@plugboard/testkit/model-server";
import { everythingStdio } from "@plugboard/testkit/start-server";
import { describe, expect, it } from "vitest";
import { call, chatSpec, done, Follower, scriptedModel } from "./helpers/chat-fixtures.ts";
import { HOSTS } from "./helpers/contract-hosts.ts";

const sample = call("mcp__e__trigger-sampling-request", { prompt: "What is 2 + 2?", maxTokens: 50 });
const sampled: ScriptedAnswer = { parts: [{ text: "Four." }], usage: { output: 7 } };
const everything = { e: { ...everythingStdio(), sampling: true } };

async function sampleInChat(api: HostApi, spec: Partial<ChatSpec> = {}, script = [sampled, done], calls = [sample]) {
  const model = await scriptedModel({ parts: calls }, ...script);
  const view = await api.chats.create(await chatSpec(model.env, { servers: everything, ...spec }));
  const follower = new Follower(api, view.chat.id, view.seq);
  await api.chats.send(view.chat.id, { text: "Let the server think" });
  return { ...model, ...view, follower };
}

describe.each(HOSTS)("sampling in a chat %s", (_, start) => {
  it("asks the user of the chat, and answers with the model of the chat", async () => {
    const api = await (await start())("cli", { attended: true });
    const { server, chat, caller, follower } = await sampleInChat(api);
    const question = await follower.question();
    expect(question).toMatchObject({ type: "sampling", owner: caller, server: "e", tool: "trigger-sampling-request" });
    expect(server.requests).toHaveLength(1);
    const { inbox } = await api.chatWorkspace(chat.id);
    await inbox.answer(question.id, { type: "sampling", decision: "yes" });
    const finished = await follower.until("tool.finished");
    expect(finished).toMatchObject({ status: "ok", result: { text: expect.stringContaining("Four.") as string } });
    expect(await follower.until("turn.finished")).toMatchObject({ reason: "done" });
    const { body, system, toolNames } = server.requests[1]!;
    expect(body).toMatchObject({ max_tokens: 50, temperature: 0.7 });
    expect(system).toBe("You are a helpful test server.");
    expect(toolNames).toEqual([]);
    expect(JSON.stringify(body["messages"])).toContain("What is 2 + 2?");
    // The server must not read the chat.
    expect(JSON.stringify(body)).not.toContain("Let the server think");
    // The chat counts the tokens of all three requests.
    expect((await api.chats.resume(chat.id)).chat.usage.outputTokens).toBe(1 + 7 + 1);
  });

  it("answers requests during parallel calls, although a request does not name its call", async () => {
    const api = await (await start())("cli", { attended: true });
    const script = [sampled, sampled, done];
    const { server, chat, caller, follower } = await sampleInChat(api, {}, script, [sample, sample]);
    const { inbox } = await api.chatWorkspace(chat.id);
    for (let count = 0; count < 2; count++) {
      const question = await follower.question();
      expect(question).toMatchObject({ type: "sampling", owner: caller, server: "e" });
      await inbox.answer(question.id, { type: "sampling", decision: "yes" });
    }
    expect(await follower.until("turn.finished")).toMatchObject({ reason: "done" });
    const finished = follower.events.filter((event) => event.type === "tool.finished");
    expect(finished.map(({ status }) => status)).toEqual(["ok", "ok"]);
    expect(server.requests).toHaveLength(4);
  });

  it("is refused if the user says no", async () => {
    const api = await (await start())("cli", { attended: true });
    const { server, chat, follower } = await sampleInChat(api, {}, [done]);
    const question = await follower.question();
    await (await api.chatWorkspace(chat.id)).inbox.answer(question.id, { type: "sampling", decision: "no" });
    expect(await follower.until("tool.finished")).toMatchObject({ status: "error" });
    await follower.until("turn.finished");
    expect(server.requests).toHaveLength(2);
  });

  it("is refused if nobody can be asked", async () => {
    const api = await (await start())("cli");
    const { server, follower } = await sampleInChat(api, {}, [done]);
    expect(await follower.until("tool.finished")).toMatchObject({ status: "error" });
    await follower.until("turn.finished");
    expect(server.requests).toHaveLength(2);
  });

  it("is refused without a question if the definition of the server does not allow it", async () => {
    const api = await (await start())("cli", { attended: true });
    const { server, chat, follower } = await sampleInChat(api, { servers: { e: everythingStdio() } }, [done]);
    // A host that serves no other clients does not declare sampling to the server, which then has no such tool.
    expect((await follower.until("tool.finished")).status).toMatch(/error|unknown/);
    await follower.until("turn.finished");
    expect((await api.chats.resume(chat.id)).questions).toEqual([]);
    expect(server.requests).toHaveLength(2);
  });
});
