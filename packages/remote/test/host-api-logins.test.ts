/** Contract tests of the logins of a `Workspace`, in process and over the socket. */
import type { HostApi, LoginQuestion, LoginStep, Question, Workspace } from "@plugboard/contracts";
import { startAuthorizationServer } from "@plugboard/testkit/authorization-server";
import { startProtectedServer } from "@plugboard/testkit/protected-server";
import { completeLogin } from "@plugboard/testkit/complete-login";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { firstEventOf, HOSTS, openWorkspace } from "./helpers/contract-hosts.ts";
import type { StartHost } from "./helpers/contract-hosts.ts";

interface Opened {
  readonly api: HostApi;
  readonly workspace: Workspace;
}

/** Opens a workspace with one server that requires a login. */
async function open(start: StartHost) {
  const authServer = await startAuthorizationServer();
  onTestFinished(() => authServer.close());
  const server = await startProtectedServer(authServer);
  onTestFinished(() => server.close());
  const connect = await start();
  const servers = { p: { url: server.url } };
  const openForNewCaller = async (): Promise<Opened> => {
    const api = await connect("program", { attended: true });
    return { api, workspace: await openWorkspace(api, { servers }) };
  };
  return { authServer, server, openForNewCaller, ...(await openForNewCaller()) };
}

type BrowserQuestion = LoginQuestion & { readonly step: Extract<LoginStep, { type: "browser" }> };

async function browserQuestion({ api }: Opened): Promise<BrowserQuestion> {
  const { question } = await firstEventOf(api, "question.asked");
  expect(question).toMatchObject({ type: "login", server: "p", owner: api.caller, step: { type: "browser" } });
  return question as BrowserQuestion;
}

async function logIn(opened: Opened) {
  const login = opened.workspace.servers.login("p");
  const { id, step } = await browserQuestion(opened);
  const { url } = await completeLogin(step.url);
  await opened.workspace.inbox.answer(id, { type: "login", action: "redirected", url });
  return { status: await login, url };
}

describe.each(HOSTS)("Workspace %s", (_, start) => {
  it("logs in with a pasted redirect URL, shows the login in status and list, and logs out", async () => {
    const opened = await open(start);
    const { workspace, authServer, server } = opened;
    const { status } = await logIn(opened);
    expect(status).toMatchObject({ id: "p", state: "ready", login: { issuer: authServer.issuer } });
    expect(await workspace.status()).toMatchObject([{ id: "p", login: { issuer: authServer.issuer } }]);
    const stored = await workspace.logins.list();
    expect(stored.logins).toMatchObject([{ server: "p", resource: server.url, issuer: authServer.issuer }]);
    expect(await workspace.servers.logout("p")).toEqual({ forgotten: true, revoked: "yes" });
    expect((await workspace.logins.list()).logins).toEqual([]);
    expect(await workspace.servers.logout("p")).toMatchObject({ forgotten: false });
  });

  it("logs in by the browser's redirect and withdraws the question", async () => {
    const opened = await open(start);
    const done = opened.workspace.servers.login("p");
    const { id, step } = await browserQuestion(opened);
    await completeLogin(step.url, { callback: "visit" });
    expect(await done).toMatchObject({ state: "ready" });
    const settled = await firstEventOf(opened.api, "question.settled");
    expect(settled).toMatchObject({ question: { id }, settlement: { by: "withdrawn" } });
  });

  it("shows the question of a login to no other caller", async () => {
    const opened = await open(start);
    const other = await opened.openForNewCaller();
    const seen: Question[] = [];
    const stop = new AbortController();
    const listening = (async () => {
      for await (const event of other.api.events(0, stop.signal)) {
        if (event.type === "question.asked" || event.type === "question.settled") seen.push(event.question);
        if (event.type === "login.changed") return;
      }
    })();
    await logIn(opened);
    await listening;
    stop.abort();
    expect(seen.filter(({ owner }) => owner !== "workspace")).toEqual([]);
  });

  it("emits no event that contains the authorization code", async () => {
    const opened = await open(start);
    const { url } = await logIn(opened);
    expect(JSON.stringify(await firstEventOf(opened.api, "question.settled"))).not.toContain(
      new URL(url).searchParams.get("code"),
    );
  });

  it("rejects a redirect URL with a wrong state and keeps the question open", async () => {
    const { api, workspace } = await open(start);
    const done = workspace.servers.login("p");
    const { id, step } = await browserQuestion({ api, workspace });
    const wrongState = { type: "login", action: "redirected", url: `${step.redirectUri}?code=x&state=x` } as const;
    await expect(workspace.inbox.answer(id, wrongState)).rejects.toMatchObject({ code: "ANSWER_INVALID" });
    expect(await workspace.inbox.list()).toMatchObject([{ id }]);
    await workspace.inbox.answer(id, { type: "login", action: "cancel" });
    await expect(done).rejects.toMatchObject({ code: "LOGIN_FAILED" });
  });

  it("cancels a login when the caller's signal is aborted", async () => {
    const { api, workspace } = await open(start);
    const stop = new AbortController();
    const done = workspace.servers.login("p", { signal: stop.signal });
    await browserQuestion({ api, workspace });
    stop.abort();
    await expect(done).rejects.toMatchObject({ code: "CANCELLED" });
    await vi.waitFor(async () => expect(await workspace.inbox.list()).toEqual([]));
  });

  it("logs in with a device code", async () => {
    const { api, workspace } = await open(start);
    const done = workspace.servers.login("p", { method: "device" });
    const { question } = await firstEventOf(api, "question.asked");
    const { step } = question as { step: Extract<LoginStep, { type: "device" }> };
    expect(step).toMatchObject({ type: "device", code: expect.any(String) as string });
    await completeLogin(step.url, { code: step.code });
    expect(await done).toMatchObject({ state: "ready" });
  });

  it("stores logins in the backend that the user chooses", async () => {
    const { workspace } = await open(start);
    expect(await workspace.logins.setBackend("file")).toMatchObject({
      backend: "file",
      file: expect.any(String) as string,
    });
    expect(await workspace.logins.list()).toMatchObject({ backend: "file" });
  });

  it("throws SERVER_UNKNOWN for a login or logout at an unknown server", async () => {
    const { workspace } = await open(start);
    await expect(workspace.servers.login("x")).rejects.toMatchObject({ code: "SERVER_UNKNOWN" });
    await expect(workspace.servers.logout("x")).rejects.toMatchObject({ code: "SERVER_UNKNOWN" });
  });
});
