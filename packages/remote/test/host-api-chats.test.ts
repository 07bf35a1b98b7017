/** Contract tests of chats: the same tests run against a host in this process and a running host over its socket. */
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isAlive } from "@plugboard/testkit/process-alive";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { describe, expect, it, vi } from "vitest";
import { call, chatSpec, done, echo, Follower, scriptedModel, withResolvers } from "./helpers/chat-fixtures.ts";
import { HOSTS, makeWorkFolder } from "./helpers/contract-hosts.ts";

describe.each(HOSTS)("HostApi.chats %s", (_, start) => {
  it("runs a turn with a tool call and emits its events to the watcher", { meta: { covers: ["R2.4"] } }, async () => {
    const { server, env } = await scriptedModel({ parts: [{ text: "Let me see." }, echo] }, done);
    const api = await (await start())("cli", { attended: true });
    const { chat, seq, messages } = await api.chats.create(await chatSpec(env));
    expect(chat).toMatchObject({ title: "", state: "idle", model: "anthropic/scripted" });
    expect(messages).toEqual([]);
    const follower = new Follower(api, chat.id, seq);
    const sent = await api.chats.send(chat.id, { text: "Say hi" });
    expect(await follower.until("turn.finished")).toMatchObject({ input: sent.id, reason: "done" });
    const types = follower.events.map(({ type }) => type).filter((type) => type !== "info.changed");
    expect(types).toEqual([
      ...["turn.started", "message.added", "step.started", "text.delta", "message.added", "usage", "tool.requested"],
      ...["tool.started", "tool.finished", "message.added"],
      ...["step.started", "text.delta", "message.added", "usage", "turn.finished"],
    ]);
    expect(follower.events.find(({ type }) => type === "tool.finished")).toMatchObject({
      status: "ok",
      result: { text: "hi", untrusted: { source: "s:echo" } },
    });
    expect(server.requests[1]?.results[0]?.text).toContain('<untrusted source="s:echo">');
    expect(await api.chats.list()).toMatchObject([{ id: chat.id, title: "Say hi", messages: 4 }]);
  });

  it("asks the watcher for permission, and remembers the answer until the chat ends", async () => {
    const { server, env } = await scriptedModel({ parts: [echo] }, { parts: [echo] }, done);
    const connect = await start();
    const api = await connect("cli", { attended: true });
    const other = await connect("cli", { attended: true });
    const { chat, caller, seq } = await api.chats.create(await chatSpec(env, { permissions: {} }));
    const follower = new Follower(api, chat.id, seq);
    await api.chats.send(chat.id, { text: "Say hi twice" });
    const question = await follower.question();
    expect(question).toMatchObject({ type: "permission", owner: caller, server: "s", tool: "echo" });
    const workspace = await api.chatWorkspace(chat.id);
    await expect(other.chatWorkspace(chat.id)).rejects.toMatchObject({ code: "FORBIDDEN" });
    expect(await workspace.inbox.list()).toEqual([question]);
    await workspace.inbox.answer(question.id, { type: "permission", decision: "session" });
    expect(await follower.until("turn.finished")).toMatchObject({ reason: "done" });
    expect(server.requests).toHaveLength(3);
    expect(await workspace.permissions.decisions()).toMatchObject([{ scope: "session", caller }]);
    await api.chats.close(chat.id);
    expect(await (await api.workspace(await chatSpec(env))).permissions.decisions()).toEqual([]);
  });

  it("denies a call that needs permission if no watcher has a user, and tells the model", async () => {
    const { server, env } = await scriptedModel({ parts: [echo] }, done);
    const api = await (await start())("cli");
    const { chat, seq } = await api.chats.create(await chatSpec(env, { permissions: {} }));
    const follower = new Follower(api, chat.id, seq);
    await api.chats.send(chat.id, { text: "Say hi" });
    expect(await follower.until("tool.finished")).toMatchObject({ status: "denied" });
    expect(await follower.until("turn.finished")).toMatchObject({ reason: "done" });
    expect(server.requests[1]?.results[0]).toMatchObject({ isError: true });
  });

  it("goes on with the turn when a server crashes during a call", async () => {
    const { env } = await scriptedModel({ parts: [call("mcp__bad__crash")] }, { parts: [echo] }, done);
    const api = await (await start())("cli", { attended: true });
    const servers = { s: scriptedLegacy(), bad: { ...scriptedLegacy(), env: { SERVER: "bad" } } };
    const { chat, seq } = await api.chats.create(await chatSpec(env, { servers }));
    const follower = new Follower(api, chat.id, seq);
    await api.chats.send(chat.id, { text: "Crash" });
    expect(await follower.until("tool.finished")).toMatchObject({ status: "error" });
    expect(await follower.until("tool.finished")).toMatchObject({ status: "ok" });
    expect(await follower.until("turn.finished")).toMatchObject({ reason: "done" });
  });

  it("offers the tools of a server that appears during the turn, listed after the known tools", async () => {
    const release = withResolvers();
    const { server, env } = await scriptedModel(
      { parts: [{ text: "wait" }, { waitFor: release.promise }, echo] },
      done,
    );
    const api = await (await start())("cli", { attended: true });
    const { chat, seq } = await api.chats.create(await chatSpec(env));
    const follower = new Follower(api, chat.id, seq);
    await api.chats.send(chat.id, { text: "Say hi" });
    await follower.until("text.delta");
    const workspace = await api.chatWorkspace(chat.id);
    await workspace.servers.connect("late", { definition: scriptedLegacy() });
    release.resolve();
    await follower.until("turn.finished");
    const [before, after] = server.requests.map(({ toolNames }) => toolNames);
    expect(before).not.toContain("mcp__late__echo");
    expect(after?.slice(0, before?.length)).toEqual(before);
    expect(after).toContain("mcp__late__echo");
  });

  it("cancels the turn and its call, and returns the queued messages", async () => {
    const { env } = await scriptedModel({ parts: [call("mcp__s__ask")] });
    const api = await (await start())("cli", { attended: true });
    const { chat, seq } = await api.chats.create(await chatSpec(env));
    const follower = new Follower(api, chat.id, seq);
    await api.chats.send(chat.id, { text: "Ask" });
    await follower.question();
    await expect(api.chats.clear(chat.id)).rejects.toMatchObject({ code: "CHAT_BUSY" });
    const queued = await api.chats.send(chat.id, { text: "And then?" });
    expect((await api.chats.resume(chat.id)).queue).toEqual([queued]);
    expect(await api.chats.cancel(chat.id)).toEqual([queued]);
    expect(await follower.until("turn.finished")).toMatchObject({ reason: "cancelled" });
    const { messages, queue, questions } = await api.chats.resume(chat.id);
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
    expect({ queue, questions }).toEqual({ queue: [], questions: [] });
  });

  it("cancels only the given message: removes it from the queue, or cancels its turn", async () => {
    const release = withResolvers();
    const held = { parts: [{ text: "wait" }, { waitFor: release.promise }] };
    const { env } = await scriptedModel(held, held);
    const api = await (await start())("cli", { attended: true });
    const { chat, seq } = await api.chats.create(await chatSpec(env));
    const follower = new Follower(api, chat.id, seq);
    const first = await api.chats.send(chat.id, { text: "First" });
    const second = await api.chats.send(chat.id, { text: "Second" });
    const third = await api.chats.send(chat.id, { text: "Third" });
    expect(await api.chats.cancel(chat.id, { input: second.id })).toEqual([second]);
    expect(await follower.until("inputs.removed")).toMatchObject({ inputs: [second.id] });
    expect(await api.chats.resume(chat.id)).toMatchObject({ chat: { state: "running" }, queue: [third] });
    expect(await api.chats.cancel(chat.id, { input: first.id })).toEqual([]);
    expect(await follower.until("turn.finished")).toMatchObject({ input: first.id, reason: "cancelled" });
    release.resolve();
    expect(await follower.until("turn.finished")).toMatchObject({ input: third.id, reason: "done" });
  });

  it("shows a chat with the events of its running turn to a second watcher, and hides it from other callers", async () => {
    const release = withResolvers();
    const { env } = await scriptedModel({
      parts: [{ text: "Hello " }, { waitFor: release.promise }, { text: "you." }],
    });
    const connect = await start();
    const [api, second, other] = [await connect("cli"), await connect("program"), await connect("program")];
    const { chat, seq } = await api.chats.create(await chatSpec(env));
    const follower = new Follower(api, chat.id, seq);
    await api.chats.send(chat.id, { text: "Greet" });
    await follower.until("text.delta");
    const view = await second.chats.resume(chat.id);
    expect(view.turn).toMatchObject([{ type: "turn.started" }, {}, { type: "text.delta", text: "Hello " }]);
    const secondFollower = new Follower(second, chat.id, view.seq);
    release.resolve();
    expect(await secondFollower.until("message.added")).toMatchObject({
      message: { content: [{ text: "Hello " }, { text: "you." }] },
    });
    await secondFollower.until("turn.finished");
    const marker = other.events(seq)[Symbol.asyncIterator]();
    await (await other.workspace(await chatSpec(env))).tools.call("s:echo", { text: "hi" });
    for (;;) {
      const { value } = await marker.next();
      expect(value?.type).not.toBe("chat.event");
      if (value?.type === "call.ended") break;
    }
  });

  it("tells each watcher that another one has closed the chat", async () => {
    const { env } = await scriptedModel();
    const connect = await start();
    const [api, other] = [await connect("cli", { attended: true }), await connect("cli", { attended: true })];
    const { chat, seq } = await api.chats.create(await chatSpec(env));
    await other.chats.resume(chat.id);
    const followers = [api, other].map((one) => new Follower(one, chat.id, seq));
    await other.chats.close(chat.id);
    await Promise.all(followers.map((follower) => follower.until("closed")));
  });

  it("resumes a closed chat with its history", async () => {
    const { server, env } = await scriptedModel(done, done);
    const connect = await start();
    const api = await connect("cli", { attended: true });
    const spec = await chatSpec(env);
    const { chat, seq } = await api.chats.create(spec);
    await api.chats.send(chat.id, { text: "First" });
    await new Follower(api, chat.id, seq).until("turn.finished");
    await api.chats.close(chat.id);
    expect(await api.chats.list({ cwd: spec.cwd })).toMatchObject([{ id: chat.id, state: "closed", title: "First" }]);
    const view = await api.chats.resume(chat.id, { env });
    expect(view.messages).toHaveLength(2);
    await api.chats.send(chat.id, { text: "Second" });
    await new Follower(api, chat.id, view.seq).until("turn.finished");
    expect(JSON.stringify(server.requests[1]?.body)).toContain("First");
    expect(await api.chats.remove(chat.id)).toBe(true);
    expect(await api.chats.list()).toEqual([]);
    await expect(api.chats.resume(chat.id)).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  it("reads files at once, and asks before it writes a file or runs a command", async () => {
    const { server, env } = await scriptedModel(
      { parts: [call("read_file", { path: "a.txt" })] },
      { parts: [call("write_file", { path: "a.txt", content: "two" })] },
      { parts: [call("terminal", { command: "cat a.txt > b.txt" })] },
      { parts: [call("terminal", { command: "cat a.txt" })] },
      done,
    );
    const api = await (await start())("cli", { attended: true });
    const permissions = { allow: ['native:terminal(command="cat *")'] };
    const spec = await chatSpec(env, { permissions });
    await writeFile(join(spec.cwd, "a.txt"), "one");
    const { chat, seq } = await api.chats.create(spec);
    const follower = new Follower(api, chat.id, seq);
    await api.chats.send(chat.id, { text: "Change the file" });
    expect(await follower.until("tool.finished")).toMatchObject({ status: "ok", tool: "read_file" });
    const { inbox } = await api.chatWorkspace(chat.id);
    const write = await follower.question();
    expect(write).toMatchObject({ server: "native", tool: "write_file", preview: expect.stringContaining("+two") });
    await inbox.answer(write.id, { type: "permission", decision: "once" });
    expect(await follower.until("tool.finished")).toMatchObject({ status: "ok", tool: "write_file" });
    const redirected = await follower.question();
    expect(redirected).toMatchObject({ server: "native", tool: "terminal" });
    await inbox.answer(redirected.id, { type: "permission", decision: "no" });
    expect(await follower.until("tool.finished")).toMatchObject({ status: "denied" });
    const shown = await follower.until("tool.finished");
    expect(shown).toMatchObject({ status: "ok", result: { text: expect.stringContaining("two") as string } });
    expect(await readdir(spec.cwd)).toEqual(["a.txt"]);
    expect(server.requests[0]?.toolNames).toEqual(expect.arrayContaining(["read_file", "terminal"]));
  });

  it(
    "cuts a long result for the model, which reads the rest with a tool",
    { meta: { covers: ["R2.168"] } },
    async () => {
      const text = Array.from({ length: 500 }, (__, index) => `line ${index}`).join("\n");
      const { server, env } = await scriptedModel(
        { parts: [call("mcp__s__echo", { text })] },
        ({ results }) => ({
          parts: [call("read_output", { id: /[0-9a-f]{8}[0-9a-f-]*/.exec(results[0]!.text)?.[0] })],
        }),
        done,
      );
      const api = await (await start())("cli", { attended: true });
      const servers = { s: { ...scriptedLegacy(), result_limit_bytes: 1024 } };
      const { chat, seq } = await api.chats.create(await chatSpec(env, { servers }));
      const follower = new Follower(api, chat.id, seq);
      await api.chats.send(chat.id, { text: "Say a lot" });
      await follower.until("turn.finished");
      const [cut, rest] = server.requests[2]!.results;
      expect(Buffer.byteLength(cut!.text)).toBeLessThan(1300);
      expect(cut?.text).not.toContain("line 300");
      expect(rest?.text).toContain("line 300");
      expect(server.requests[0]?.toolNames).not.toContain("read_output");
      expect(server.requests[1]?.toolNames).toContain("read_output");
    },
  );

  it("hides the tools for files and commands if they are switched off", async () => {
    const { server, env } = await scriptedModel({ parts: [call("read_file", { path: "a.txt" })] }, done);
    const api = await (await start())("cli", { attended: true });
    const spec = await chatSpec(env, { nativeTools: false });
    await writeFile(join(spec.cwd, "a.txt"), "one");
    const { chat, seq } = await api.chats.create(spec);
    const follower = new Follower(api, chat.id, seq);
    await api.chats.send(chat.id, { text: "Read the file" });
    expect(await follower.until("tool.finished")).toMatchObject({ status: "unknown" });
    await follower.until("turn.finished");
    expect(server.requests[0]?.toolNames).not.toContain("read_file");
    expect(JSON.stringify(server.requests[1]?.results)).toContain("try another approach");
  });

  it("uses the provider, the key and the price of the config", async () => {
    const { server } = await scriptedModel(done);
    const cwd = await makeWorkFolder();
    const file = join(cwd, "own.json");
    const models = { scripted: { context_tokens: 9000, price: { input: 1_000_000, output: 1_000_000 } } };
    const providers = { lab: { base_url: server.url, api_key: "${LAB_KEY}", models } };
    await writeFile(file, JSON.stringify({ model: { default: "lab/scripted", providers } }));
    const api = await (await start())("cli");
    const { chat, seq } = await api.chats.create({ cwd, configFiles: [file], env: { LAB_KEY: "lab key" } });
    expect(chat.model).toBe("lab/scripted");
    await api.chats.send(chat.id, { text: "Hi" });
    await new Follower(api, chat.id, seq).until("turn.finished");
    expect(server.requests[0]).toMatchObject({ wire: "chat", headers: { authorization: "Bearer lab key" } });
    const { context, usage } = (await api.chats.resume(chat.id)).chat;
    expect(context.limit).toBe(9000);
    expect(usage.cost).toBe(usage.inputTokens + usage.outputTokens);
  });

  it("refuses to send a message while the project sets a provider", { meta: { covers: ["A1"] } }, async () => {
    const { server, env } = await scriptedModel(done);
    const spec = await chatSpec(env);
    const providers = { anthropic: { base_url: server.url } };
    await mkdir(join(spec.cwd, ".plugboard"));
    await writeFile(join(spec.cwd, ".plugboard/config.json"), JSON.stringify({ mcp: { model: { providers } } }));
    const api = await (await start())("cli");
    const { chat } = await api.chats.create(spec);
    await expect(api.chats.send(chat.id, { text: "Hi" })).rejects.toMatchObject({ code: "MODEL_URL_REFUSED" });
    expect(server.requests).toEqual([]);
  });

  it("sets another model, and refuses a model of an unknown provider", async () => {
    const api = await (await start())("cli");
    const cwd = await makeWorkFolder();
    expect(await api.chats.models({ cwd })).not.toHaveProperty("model");
    const { chat } = await api.chats.create({ cwd, env: {} });
    expect(chat).not.toHaveProperty("model");
    await expect(api.chats.setModel(chat.id, "elsewhere/x")).rejects.toMatchObject({ code: "MODEL_INVALID" });
    expect(await api.chats.setModel(chat.id, "ollama/x")).toMatchObject({ model: "ollama/x" });
  });

  it("throws MODEL_NOT_SET, and keeps no message, if no model is set", async () => {
    const api = await (await start())("cli");
    const { chat } = await api.chats.create(await chatSpec({}));
    await expect(api.chats.send(chat.id, { text: "Hi" })).rejects.toMatchObject({ code: "MODEL_NOT_SET" });
    expect((await api.chats.resume(chat.id)).messages).toEqual([]);
  });

  it("starts five processes for three chats that use the same five servers", async () => {
    const ids = ["a", "b", "c", "d", "e"];
    const calls = { parts: ids.map((id) => call(`mcp__${id}__echo`, { text: id })) };
    const { env } = await scriptedModel(...Array.from({ length: 3 }, () => [calls, done]).flat());
    const cwd = await makeWorkFolder();
    const servers = Object.fromEntries(ids.map((id) => [id, { ...scriptedLegacy(), env: { SERVER: id } }]));
    const api = await (await start())("cli");
    const pids = new Set<number>();
    const chats = [];
    for (let count = 0; count < 3; count++) {
      const { chat, seq } = await api.chats.create(await chatSpec(env, { cwd, servers }));
      chats.push(chat.id);
      const follower = new Follower(api, chat.id, seq);
      await api.chats.send(chat.id, { text: "Say hi to all" });
      await follower.until("turn.finished");
      const finished = follower.events.filter((event) => event.type === "tool.finished");
      expect(finished.map(({ result }) => result.text).toSorted()).toEqual(ids);
      for (const { pid } of await (await api.chatWorkspace(chat.id)).status()) pids.add(pid!);
    }
    expect(pids.size).toBe(5);
    expect([...pids].every(isAlive)).toBe(true);
    await Promise.all(chats.map((id) => api.chats.close(id)));
    await vi.waitFor(() => expect([...pids].some(isAlive)).toBe(false));
  });

  it("refuses access to chats if the caller is a chat itself", async () => {
    const api = await (await start())("chat");
    await expect(api.chats.list()).rejects.toMatchObject({ code: "FORBIDDEN" });
  });
});
