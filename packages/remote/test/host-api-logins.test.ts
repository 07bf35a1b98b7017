/** Contract tests of the logins of a `Workspace`, in process and over the socket. */
import type { HostApi, LoginQuestion, LoginStep, Question, Workspace } from "@plugboard/contracts";
import { startAuthorizationServer } from "@plugboard/testkit/authorization-server";
import { startProtectedServer } from "@plugboard/testkit/protected-server";
import { completeLogin } from "@plugboard/testkit/complete-login";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { firstEventOf, HOSTS, openWorkspace } from "./helpers/contract-hosts.ts";
import type { ConnectCaller } from "./helpers/contract-hosts.ts";

interface Opened {
  readonly api: HostApi;
  readonly workspace: Workspace;
}

/** Opens a workspace with one server that requires a login. */
async function open(start: () => Promise<ConnectCaller>) {
  const as = await startAuthorizationServer();
  onTestFinished(() => as.close());
  const server = await startProtectedServer(as);
  onTestFinished(() => server.close());
  const enter = await start();
  const servers = { p: { url: server.url } };
  const come = async (): Promise<Opened> => {
    const api = await enter("program", true);
    return { api, workspace: await openWorkspace(api, { servers }) };
  };
  return { as, server, come, ...(await come()) };
}

type Asked = LoginQuestion & { readonly step: Extract<LoginStep, { type: "browser" }> };

async function stepOf({ api }: Opened): Promise<Asked> {
  const { question } = await firstEventOf(api, "question.asked");
  expect(question).toMatchObject({ type: "login", server: "p", owner: api.caller, step: { type: "browser" } });
  return question as Asked;
}

async function logIn(opened: Opened) {
  const done = opened.workspace.servers.login("p");
  const { id, step } = await stepOf(opened);
  const { url } = await completeLogin(step.url);
  await opened.workspace.inbox.answer(id, { type: "login", action: "redirected", url });
  return { status: await done, url };
}

describe.each(HOSTS)("Workspace logins %s", (_, start) => {
  it("log in with a pasted redirect URL, appear in status and list, and log out", async () => {
    const opened = await open(start);
    const { workspace, as, server } = opened;
    const { status } = await logIn(opened);
    expect(status).toMatchObject({ id: "p", state: "ready", login: { issuer: as.issuer } });
    expect(await workspace.status()).toMatchObject([{ id: "p", login: { issuer: as.issuer } }]);
    const stored = await workspace.logins.list();
    expect(stored.logins).toMatchObject([{ server: "p", resource: server.url, issuer: as.issuer }]);
    expect(await workspace.servers.logout("p")).toEqual({ forgotten: true, revoked: "yes" });
    expect((await workspace.logins.list()).logins).toEqual([]);
    expect(await workspace.servers.logout("p")).toMatchObject({ forgotten: false });
  });

  it("log in by the browser's redirect and withdraw the question", async () => {
    const opened = await open(start);
    const done = opened.workspace.servers.login("p");
    const { id, step } = await stepOf(opened);
    await completeLogin(step.url, { callback: "visit" });
    expect(await done).toMatchObject({ state: "ready" });
    const settled = await firstEventOf(opened.api, "question.settled");
    expect(settled).toMatchObject({ question: { id }, settlement: { by: "withdrawn" } });
  });

  it("show the question of a login to no other caller", async () => {
    const opened = await open(start);
    const other = await opened.come();
    const seen: Question[] = [];
    const stop = new AbortController();
    const listening = (async () => {
      for await (const one of other.api.events(0, stop.signal)) {
        if (one.type === "question.asked" || one.type === "question.settled") seen.push(one.question);
        if (one.type === "login.changed") return;
      }
    })();
    await logIn(opened);
    await listening;
    stop.abort();
    expect(seen.filter(({ owner }) => owner !== "workspace")).toEqual([]);
  });

  it("emit no event with the authorization code", async () => {
    const opened = await open(start);
    const { url } = await logIn(opened);
    expect(JSON.stringify(await firstEventOf(opened.api, "question.settled"))).not.toContain(
      new URL(url).searchParams.get("code"),
    );
  });

  it("reject a redirect URL with a wrong state and keep the question open", async () => {
    const { api, workspace } = await open(start);
    const done = workspace.servers.login("p");
    const { id, step } = await stepOf({ api, workspace });
    const wrong = { type: "login", action: "redirected", url: `${step.redirectUri}?code=x&state=x` } as const;
    await expect(workspace.inbox.answer(id, wrong)).rejects.toMatchObject({ code: "ANSWER_INVALID" });
    expect(await workspace.inbox.list()).toMatchObject([{ id }]);
    await workspace.inbox.answer(id, { type: "login", action: "cancel" });
    await expect(done).rejects.toMatchObject({ code: "LOGIN_FAILED" });
  });

  it("cancel a login by the caller's signal", async () => {
    const { api, workspace } = await open(start);
    const stop = new AbortController();
    const done = workspace.servers.login("p", { signal: stop.signal });
    await stepOf({ api, workspace });
    stop.abort();
    await expect(done).rejects.toMatchObject({ code: "CANCELLED" });
    await vi.waitFor(async () => expect(await workspace.inbox.list()).toEqual([]));
  });

  it("log in with a device code", async () => {
    const { api, workspace } = await open(start);
    const done = workspace.servers.login("p", { method: "device" });
    const { question } = await firstEventOf(api, "question.asked");
    const { step } = question as { step: Extract<LoginStep, { type: "device" }> };
    expect(step).toMatchObject({ type: "device", code: expect.any(String) as string });
    await completeLogin(step.url, { code: step.code });
    expect(await done).toMatchObject({ state: "ready" });
  });

  it("are stored in the backend that the user chooses", async () => {
    const { workspace } = await open(start);
    expect(await workspace.logins.setBackend("file")).toMatchObject({
      backend: "file",
      file: expect.any(String) as string,
    });
    expect(await workspace.logins.list()).toMatchObject({ backend: "file" });
  });

  it("throw SERVER_UNKNOWN for an unknown server", async () => {
    const { workspace } = await open(start);
    await expect(workspace.servers.login("x")).rejects.toMatchObject({ code: "SERVER_UNKNOWN" });
    await expect(workspace.servers.logout("x")).rejects.toMatchObject({ code: "SERVER_UNKNOWN" });
  });
});
