/** Tests which chats a client of the port can use, with the owner's token and with the session of the page. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { controlPaths, PAGE_KEY_HEADER, PAGE_SESSION_PATH } from "@plugboard/contracts";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { startRunningHost } from "../helpers/running-host.ts";
import type { RunningHost } from "../helpers/running-host.ts";

let host: RunningHost;
let elsewhere: string;
beforeAll(async () => {
  host = await startRunningHost({});
  elsewhere = await mkdtemp(join(tmpdir(), "plugboard-elsewhere-"));
});
afterAll(async () => {
  await host.close();
  await rm(elsewhere, { recursive: true });
});

type Headers = { readonly [name: string]: string };

/** Creates a chat as a client of the socket, which may open any folder. */
async function createChat(cwd: string): Promise<string> {
  const api = host.daemon.connect("cli", { attended: true });
  onTestFinished(() => api.close());
  const { chat } = await api.chats.create({ cwd, model: "ollama/none", nativeTools: false });
  return chat.id;
}

function post(path: string, body: unknown, headers: Headers): Promise<Response> {
  const url = new URL(path, host.url);
  const json = { "content-type": "application/json", origin: url.origin };
  return fetch(url, { method: "POST", headers: { ...json, ...headers }, body: JSON.stringify(body) });
}

/** Opens a channel, and returns a function that calls a method of chats. */
async function openChats(kind: "api" | "page", headers: Headers) {
  const opened = await post(controlPaths.channels, { kind }, headers);
  const reader = opened.body!.getReader();
  onTestFinished(() => reader.cancel());
  const event = new TextDecoder().decode((await reader.read()).value);
  const { channel } = JSON.parse(/^data: (.*)$/m.exec(event)![1]!) as { channel: string };
  return async (method: string, ...args: unknown[]) => {
    const response = await post(controlPaths.chats(channel, method), args, headers);
    const body = (await response.json()) as { error?: { code: string } } | null;
    return { status: response.status, code: body?.error?.code, body };
  };
}

async function signIn(): Promise<Headers> {
  const code = new URL(host.daemon.openPage().url).hash.slice("#code=".length);
  const signedIn = await post(PAGE_SESSION_PATH, { code }, {});
  const { key } = (await signedIn.json()) as { key: string };
  return { cookie: signedIn.headers.getSetCookie()[0]!.split(";")[0]!, [PAGE_KEY_HEADER]: key };
}

describe.each([
  ["the owner's token", "api", async (): Promise<Headers> => ({ authorization: `Bearer ${host.token}` })],
  ["the session of the page", "page", signIn],
] as const)("a client of the port with %s", (_name, kind, headersOf) => {
  it("can resume a chat, but not add servers, rules or an environment to it", async () => {
    const call = await openChats(kind, await headersOf());
    const id = await createChat(host.env["HOME"]!);
    for (const addition of [
      { servers: { evil: { command: "evil" } } },
      { permissions: { allow: ["*"] } },
      { env: { PATH: "/evil" } },
    ]) {
      const refused = await call("chats.resume", id, addition);
      expect([addition, refused.status, refused.code]).toEqual([addition, 403, "FORBIDDEN"]);
    }
    expect((await call("chats.resume", id)).status).toBe(200);
  });

  it("gets 404 for a chat of another folder, from every method that takes a chat", async () => {
    const call = await openChats(kind, await headersOf());
    const [own, foreign] = [await createChat(host.env["HOME"]!), await createChat(elsewhere)];
    const calls: [string, ...unknown[]][] = [
      ["chats.resume"],
      ["chats.leave"],
      ["chats.send", { text: "hi" }],
      ["chats.cancel"],
      ["chats.setModel", "ollama/other"],
      ["chats.compact"],
      ["chats.clear"],
      ["chats.rename", "mine"],
      ["chats.close"],
      ["chats.remove"],
    ];
    for (const [method, ...args] of calls) {
      const refused = await call(method, foreign, ...args);
      expect([method, refused.status, refused.code]).toEqual([method, 404, "NOT_FOUND"]);
    }
    const { body } = await call("chats.list", {});
    expect((body as unknown as { id: string }[]).map(({ id }) => id)).toContain(own);
    expect((body as unknown as { id: string }[]).map(({ id }) => id)).not.toContain(foreign);
    const listed = await host.daemon.connect("cli", {}).chats.list({ cwd: elsewhere });
    expect(listed.map(({ id }) => id)).toContain(foreign);
  });
});
