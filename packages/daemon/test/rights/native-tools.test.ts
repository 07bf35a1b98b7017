/**
 * Tries to use the tools for files and commands with the owner's token alone, and through the doors that may use them.
 */
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { VERSION } from "@plugboard/host";
import { socketPath } from "@plugboard/store";
import { connectRemote } from "@plugboard/remote";
import type { FetchLike, RemoteHost } from "@plugboard/remote";
import { nodeHttpFetch } from "@plugboard/remote/node";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { startModelServer } from "@plugboard/testkit/model-server";
import type { ScriptedAnswer } from "@plugboard/testkit/model-server";
import { describe, expect, it, onTestFinished } from "vitest";
import { startDaemonWith, startRunningHost } from "../helpers/running-host.ts";
import type { RunningHost } from "../helpers/running-host.ts";

/** A model of the attacker: its first answer runs a command. */
const RUNS_COMMAND: readonly ScriptedAnswer[] = [
  { parts: [{ call: "terminal", args: { command: "touch owned" } }] },
  { parts: [{ text: "done" }] },
];

interface SetUp {
  readonly host: RunningHost;
  /** A program that has only the owner's token. */
  readonly thief: RemoteHost;
  /** A command of the user, on the socket. */
  readonly user: RemoteHost;
  /** Returns true if the attacker's command has run. */
  readonly isOwned: () => boolean;
}

async function setUp(permissions: { allow?: string[] } = {}): Promise<SetUp> {
  const model = await startModelServer(...RUNS_COMMAND);
  onTestFinished(() => model.close());
  const variables = { ANTHROPIC_API_KEY: "key", ANTHROPIC_BASE_URL: model.url, PLUGBOARD_MODEL: "anthropic/scripted" };
  const host = await startDaemonWith(variables, {}, {}, permissions);
  onTestFinished(host.close);
  const thief = await connectOverPort(host);
  const user = await connect(nodeHttpFetch({ socketPath: socketPath(host.env) }), "cli");
  return { host, thief, user, isOwned: () => existsSync(join(host.env["HOME"]!, "owned")) };
}

/** Connects a program that has only the owner's token. */
function connectOverPort({ url, token }: RunningHost): Promise<RemoteHost> {
  const { hostname, port } = new URL(url);
  return connect(nodeHttpFetch({ host: hostname, port: Number(port), token }), "api");
}

async function connect(fetch: FetchLike, kind: "api" | "cli"): Promise<RemoteHost> {
  const remote = await connectRemote({ fetch, version: VERSION, kind, attended: true, watchesInbox: true });
  onTestFinished(() => remote.close());
  return remote;
}

const FORBIDDEN = { code: "FORBIDDEN" };

describe("the owner's token alone", { meta: { covers: ["S27", "S17"] } }, () => {
  it("creates no chat with the tools for files and commands, and gets none by default", async () => {
    const { host, thief, isOwned } = await setUp();
    const cwd = host.env["HOME"]!;
    await expect(thief.chats.create({ cwd, nativeTools: true, temporary: true })).rejects.toMatchObject(FORBIDDEN);
    const { chat } = await thief.chats.create({ cwd });
    const workspace = await thief.chatWorkspace(chat.id);
    const tools = await workspace.tools.list();
    expect(tools.map(({ tool }) => tool)).not.toContain("terminal");
    await expect(workspace.tools.call("native:terminal", { command: "touch owned" })).rejects.toMatchObject({
      code: "TOOL_NOT_FOUND",
    });
    // The model, which the program may choose, asks for the tool and gets an error.
    await thief.chats.send(chat.id, { text: "run it" });
    await expect.poll(() => thief.chats.list({})).toMatchObject([{ state: "idle", messages: 4 }]);
    expect(isOwned()).toBe(false);
    // The chat is stored without these tools, so nobody who resumes it gets them.
    await thief.chats.close(chat.id);
    await thief.chats.resume(chat.id);
    const resumed = await (await thief.chatWorkspace(chat.id)).tools.list();
    expect(resumed.map(({ tool }) => tool)).not.toContain("terminal");
  });

  it("creates a chat with the servers that the port serves, which it could not add itself", async () => {
    const servers = { served: scriptedLegacy() };
    const cwd = tmpdir();
    const host = await startRunningHost({}, { spec: { cwd, servers, configFiles: [] } });
    onTestFinished(host.close);
    const thief = await connectOverPort(host);
    const { chat } = await thief.chats.create({ cwd });
    const tools = await (await thief.chatWorkspace(chat.id)).tools.list();
    expect(tools).toContainEqual(expect.objectContaining({ server: "served", tool: "echo" }));
    await expect(thief.chats.create({ cwd, servers })).rejects.toMatchObject(FORBIDDEN);
  });

  it("can't use a chat of the user that has these tools, open or closed, whatever its model is", async () => {
    // A rule that allows the command, so that nobody would be asked.
    const { host, thief, user, isOwned } = await setUp({ allow: ["native:terminal"] });
    const { chat } = await user.chats.create({ cwd: host.env["HOME"]! });
    const attempts = [
      () => thief.chats.resume(chat.id),
      () => thief.chats.resume(chat.id, { model: "ollama/none" }),
      () => thief.chats.send(chat.id, { text: "run it" }),
      () => thief.chats.setModel(chat.id, "anthropic/scripted"),
      () => thief.chats.compact(chat.id),
      () => thief.chats.clear(chat.id),
      () => thief.chats.rename(chat.id, "mine"),
      () => thief.chatWorkspace(chat.id),
    ];
    for (const attempt of attempts) await expect(attempt(), String(attempt)).rejects.toMatchObject(FORBIDDEN);
    expect(isOwned()).toBe(false);
    // The user can do the same over the socket.
    await user.chats.send(chat.id, { text: "run it" });
    await expect.poll(isOwned).toBe(true);
    await user.chats.close(chat.id);
    await expect(thief.chats.resume(chat.id)).rejects.toMatchObject(FORBIDDEN);
  });

  it("neither sees nor answers a question about these tools", async () => {
    const { host, thief, user, isOwned } = await setUp();
    const { chat } = await user.chats.create({ cwd: host.env["HOME"]! });
    await user.chats.send(chat.id, { text: "run it" });
    const view = (await user.chatWorkspace(chat.id)).inbox;
    await expect.poll(() => view.list()).toHaveLength(1);
    const [question] = await view.list();
    expect(question).toMatchObject({ type: "permission", server: "native", tool: "terminal" });
    const inbox = (await thief.workspace({ cwd: host.env["HOME"]! })).inbox;
    expect(await inbox.list()).toEqual([]);
    const yes = { type: "permission", decision: "once" } as const;
    await expect(inbox.answer(question!.id, yes)).rejects.toMatchObject({ code: "QUESTION_NOT_YOURS" });
    await expect(inbox.dismiss(question!.id)).rejects.toMatchObject({ code: "QUESTION_NOT_YOURS" });
    expect(isOwned()).toBe(false);
    await view.answer(question!.id, yes);
    await expect.poll(isOwned).toBe(true);
  });
});
