/** Tests which callers are asked for a login, when the question is settled, and the `auth` keys of a definition. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startAuthorizationServer } from "@plugboard/testkit/authorization-server";
import { startScriptedHttp } from "@plugboard/testkit/scripted-http";
import { startModernHttp } from "@plugboard/testkit/start-server";
import { completeLogin } from "@plugboard/testkit/complete-login";
import type { EmbeddedHost, LoginQuestion } from "@plugboard/host";
import { describe, expect, it, onTestFinished } from "vitest";
import { waitForEvent, eventsOf, makeTestHome } from "../helpers/embedded-host.ts";
import {
  waitUntilIdle,
  createEarlierLogin,
  makeProtectedFixture,
  serverStatusOf,
  answeringUser,
  browsingUser,
  whoami,
} from "../helpers/auth/protected-fixture.ts";

describe("a host with a server that needs a login", () => {
  it("puts a question into the inbox, and withdraws it when the browser login completes", async () => {
    const { server, home } = await makeProtectedFixture();
    const host = await home.host({ servers: { x: { url: server.url } } });
    const { errors } = await host.ready();
    expect(errors["x"]).toMatchObject({ code: "AUTH_REQUIRED" });
    const [question] = await host.inbox.list();
    expect(question).toMatchObject({ type: "login", owner: "workspace", server: "x", reason: "first" });
    await host.inbox.answer(question!.id, { type: "login", action: "begin" });
    const { question: next } = await waitForEvent(host, "question.asked", isStep);
    await completeLogin(pageOf(next as LoginQuestion), { callback: "visit" });
    expect((await waitForEvent(host, "question.settled", isStep)).settlement).toEqual({ by: "withdrawn" });
    await waitForEvent(host, "server.changed", ({ state }) => state === "ready");
    expect(await host.inbox.list()).toEqual([]);
  });

  it("lets a call of a gateway client wait for the login only while a user watches the inbox", async () => {
    const { server, home } = await makeProtectedFixture();
    const host = await home.host({});
    const spec = { cwd: process.cwd(), servers: { x: { url: server.url } }, permissions: { allow: ["*"] } };
    const front = await host.as("front").workspace(spec);
    await front.start();
    await expect(front.tools.call("x:whoami", {})).rejects.toMatchObject({ code: "AUTH_REQUIRED" });
    const watcher = await host.as("cli", { watchesInbox: true }).workspace(spec);
    const call = front.tools.call("x:whoami", {});
    const [question] = await watcher.inbox.list();
    await watcher.inbox.answer(question!.id, { type: "login", action: "begin" });
    const { question: next } = await waitForEvent(host, "question.asked", isStep);
    await completeLogin(pageOf(next as LoginQuestion), { callback: "visit" });
    expect((await call).isError).not.toBe(true);
  });

  it("does not ask again after the question was dismissed", async () => {
    const { server, home } = await makeProtectedFixture();
    const host = await home.host({ servers: { x: { url: server.url } } });
    await host.ready();
    const [question] = await host.inbox.list();
    await host.inbox.dismiss(question!.id);
    expect(await host.inbox.list()).toEqual([]);
    await expect(host.servers.connect("x")).rejects.toMatchObject({ code: "AUTH_REQUIRED" });
    expect(await host.inbox.list()).toEqual([]);
  });

  it("does not ask after the user has logged out", async () => {
    const fixture = await makeProtectedFixture();
    const user = browsingUser();
    const host = await fixture.home.host({ servers: { x: { url: fixture.server.url } }, ports: user.ports });
    await host.servers.login("x");
    await waitUntilIdle(fixture);
    const questionsBefore = user.questions.length;
    const waitsForLogin = waitForEvent(
      host,
      "server.changed",
      ({ state }) => state === "auth_required",
      await lastSeq(host),
    );
    expect(await host.servers.logout("x")).toEqual({ forgotten: true, revoked: "yes" });
    await waitsForLogin;
    expect(user.questions.length).toBe(questionsBefore);
    expect(await host.inbox.list()).toEqual([]);
  });

  it("does not request a scope again that the user has refused", async () => {
    const { as, host: open } = await makeProtectedFixture();
    const requestedScopes = () =>
      as.requests.filter(({ path }) => path === "/auth").map(({ parameters }) => parameters["scope"]);
    const { ports } = answeringUser(({ reason, step }) => {
      if (reason === "scope" && !step) return { type: "login", action: "cancel" };
      return step ? Promise.resolve(undefined) : { type: "login", action: "begin" };
    });
    const host = await open({ ...ports, openUrl: (url) => completeLogin(url, { callback: "visit" }) });
    await host.servers.login("x");
    await expect(host.tools.call("x:admin", {})).rejects.toThrow(/it needs more scope than you granted: admin/);
    await host.servers.logout("x");
    await host.servers.login("x");
    expect(requestedScopes().join(" ")).not.toContain("admin");
    const laterHost = await open({ ...ports, openUrl: (url) => completeLogin(url, { callback: "visit" }) });
    await laterHost.servers.login("x");
    expect(requestedScopes().join(" ")).not.toContain("admin");
    expect(requestedScopes()).toHaveLength(3);
  });

  it("logs out by the label of the stored login if the server is no longer in the config", async () => {
    const fixture = await makeProtectedFixture();
    await createEarlierLogin(fixture);
    const host = await fixture.home.host();
    expect((await host.logins.list()).logins).toMatchObject([{ server: "x", resource: fixture.server.url }]);
    await expect(host.servers.logout("y")).rejects.toMatchObject({ code: "SERVER_UNKNOWN" });
    expect(await host.servers.logout("x")).toEqual({ forgotten: true, revoked: "yes" });
    expect((await host.logins.list()).logins).toEqual([]);
    expect(fixture.as.validIds("RefreshToken")).toEqual([]);
  });

  it("waits for a login that another host has started, and emits login.waiting", async () => {
    const { host: open } = await makeProtectedFixture();
    const [firstHost, secondHost] = [await open(), await open()];
    const first = firstHost.servers.login("x");
    const { question } = await waitForEvent(firstHost, "question.asked", isStep);
    const second = secondHost.servers.login("x");
    await waitForEvent(secondHost, "login.waiting");
    await completeLogin(pageOf(question as LoginQuestion), { callback: "visit" });
    expect(await first).toMatchObject({ state: "ready" });
    expect(await second).toMatchObject({ state: "ready" });
  });

  it("starts the login again for a second waiting caller when the first caller cancels it", async () => {
    const { host: open } = await makeProtectedFixture();
    const host = await open();
    const abort = new AbortController();
    const first = host.servers.login("x", { signal: abort.signal });
    const begun = await waitForEvent(host, "question.asked", isStep);
    const second = host.servers.login("x");
    await waitForEvent(host, "login.waiting");
    abort.abort();
    await expect(first).rejects.toMatchObject({ code: "CANCELLED" });
    const { question } = await waitForEvent(host, "question.asked", isStep, begun.seq);
    await completeLogin(pageOf(question as LoginQuestion), { callback: "visit" });
    expect(await second).toMatchObject({ state: "ready" });
  });

  it("asks the caller of servers.connect to log in, and connects", async () => {
    const { host: open } = await makeProtectedFixture();
    const user = browsingUser();
    const host = await open(user.ports);
    expect(await host.servers.connect("x")).toMatchObject({ state: "ready" });
    expect(user.openedUrls).toHaveLength(1);
  });

  it("asks the caller of resources.read to log in, and repeats the request", async () => {
    const { host: open } = await makeProtectedFixture();
    const user = browsingUser();
    const host = await open(user.ports);
    // The error that the server has no resources shows that the request was repeated after the login.
    await expect(host.resources.read("x", "x://a")).rejects.toMatchObject({ code: "NOT_OFFERED" });
    expect(user.openedUrls).toHaveLength(1);
  });

  it("fails a call of an unattended caller at once", async () => {
    const { host: open } = await makeProtectedFixture();
    const host = await open();
    await expect(whoami(host)).rejects.toThrow(/requires a login.*Log in, or set a key/s);
  });

  it("connects when another host has logged in", async () => {
    const fixture = await makeProtectedFixture();
    const host = await fixture.home.host({ servers: { x: { url: fixture.server.url } } });
    await host.ready();
    expect(serverStatusOf(host)).toMatchObject({ state: "auth_required" });
    await createEarlierLogin(fixture);
    await waitForEvent(host, "server.changed", ({ state }) => state === "ready");
    expect(await host.inbox.list()).toEqual([]);
  });

  it("has a separate login for each account that a definition names", async () => {
    const { server, home } = await makeProtectedFixture();
    const users = ["ada", "bob"];
    const openUrl = (url: string) => completeLogin(url, { user: users.shift()!, callback: "visit" });
    const [one, two] = ["work", "home"].map((account) => ({ url: server.url, account, start: "lazy" as const }));
    const host = await home.host({ servers: { one: one!, two: two! }, ports: { openUrl } });
    await host.servers.login("one");
    await host.servers.login("two");
    const who = async (id: string) => JSON.stringify(await host.tools.call(`${id}:whoami`, {}));
    expect(await who("one")).toContain("ada");
    expect(await who("two")).toContain("bob");
    const { logins } = await host.logins.list();
    expect(logins.map(({ server: id, account }) => [id, account])).toEqual([
      ["one", "work"],
      ["two", "home"],
    ]);
    await host.servers.logout("one");
    expect(await who("two")).toContain("bob");
  });

  it(
    "reports an error without a question if the server publishes no way to log in",
    { meta: { covers: ["R2.59"] } },
    async () => {
      const bare = await startScriptedHttp((_, response) => void response.writeHead(401).end());
      onTestFinished(() => bare.close());
      const user = browsingUser();
      const home = await makeTestHome();
      const host = await home.host({ servers: { x: { url: bare.url } }, ports: user.ports });
      const { errors } = await host.ready();
      expect(errors["x"]).toMatchObject({ code: "LOGIN_NOT_OFFERED" });
      expect(errors["x"]!.message).toMatch(/set it under `headers` or `auth`/);
      expect(serverStatusOf(host)).toMatchObject({ state: "error" });
      await expect(host.servers.login("x")).rejects.toMatchObject({ code: "LOGIN_NOT_OFFERED" });
      expect([user.questions, user.openedUrls]).toEqual([[], []]);
    },
  );
});

it("login says that a server which accepts requests without a login, and offers none, needs no login", async () => {
  const open = await startModernHttp();
  onTestFinished(() => open.close());
  const user = browsingUser();
  const home = await makeTestHome();
  const host = await home.host({ servers: { x: { url: open.url } }, ports: user.ports });
  const error = {
    code: "USAGE",
    message: expect.stringContaining('"x" needs no login: it accepts requests') as string,
  };
  await expect(host.servers.login("x")).rejects.toMatchObject(error);
  await expect(host.servers.login("x", { method: "device" })).rejects.toMatchObject(error);
  expect([user.questions, user.openedUrls]).toEqual([[], []]);
  expect(serverStatusOf(host)).toMatchObject({ state: "ready" });
});

describe("a pasted redirect URL", () => {
  it("is rejected if it belongs to another login, and no event contains the code of the right URL", async () => {
    const { host: open } = await makeProtectedFixture();
    const host = await open();
    const login = host.servers.login("x");
    const { question } = await waitForEvent(host, "question.asked", isStep);
    const page = pageOf(question as LoginQuestion);
    const { url } = await completeLogin(page);
    const wrong = url.replace(/state=[^&]*/, "state=other");
    for (const pasted of [wrong, "http://127.0.0.1/callback?code=1", "code"]) {
      const answer = { type: "login", action: "redirected", url: pasted } as const;
      await expect(host.inbox.answer(question.id, answer)).rejects.toMatchObject({ code: "ANSWER_INVALID" });
    }
    await host.inbox.answer(question.id, { type: "login", action: "redirected", url });
    await login;
    const code = new URL(url).searchParams.get("code")!;
    expect(JSON.stringify(await eventsOf(host, "question.settled"))).not.toContain(code);
  });
});

describe("a definition with oauth keys", () => {
  it(
    "sets the endpoints, the client and the scope",
    { meta: { covers: ["R2.43", "R2.44", "R2.46", "R2.47", "R2.48", "R3.44"] } },
    async () => {
      const { as, server, home } = await makeProtectedFixture();
      as.addClient({
        client_id: "desk",
        client_secret: "s3cret-of-the-desk",
        redirect_uris: ["http://127.0.0.1/callback"],
        application_type: "native",
        token_endpoint_auth_method: "client_secret_post",
      });
      const auth = {
        type: "oauth",
        authorization_url: `${as.issuer}/auth`,
        token_url: `${as.issuer}/token`,
        client_id: "desk",
        client_secret: "s3cret-of-the-desk",
        scope: "mcp admin",
      } as const;
      const host = await home.host({ servers: { x: { url: server.url, auth } }, ports: browsingUser().ports });
      await host.servers.login("x");
      expect(await whoami(host)).toMatchObject({ client_id: "desk", scope: "mcp admin" });
      expect(as.requests.map(({ path }) => path)).not.toContain("/reg");
      const stored = await readFile(join(home.stateFolder, "mcp-auth.json"), "utf8");
      expect(stored).not.toContain("s3cret-of-the-desk");
    },
  );

  it("sets the registration endpoint", { meta: { covers: ["R2.45"] } }, async () => {
    const { as, server, home } = await makeProtectedFixture();
    const auth = {
      type: "oauth",
      authorization_url: `${as.issuer}/auth`,
      token_url: `${as.issuer}/token`,
      registration_url: `${as.issuer}/reg`,
    } as const;
    const host = await home.host({ servers: { x: { url: server.url, auth } }, ports: browsingUser().ports });
    await host.servers.login("x");
    expect(await whoami(host)).toMatchObject({ sub: "ada" });
    expect(as.requests.filter(({ path }) => path === "/reg")).toHaveLength(1);
    expect(as.requests.map(({ path }) => path).filter((path) => path.includes("well-known"))).toEqual([
      // This request came from the MCP server when it started, not from the host.
      "/.well-known/oauth-authorization-server",
    ]);
  });

  it("does not use a login that was made with another client", async () => {
    const fixture = await makeProtectedFixture();
    await createEarlierLogin(fixture);
    const servers = { x: { url: fixture.server.url, auth: { type: "oauth", client_id: "another" } as const } };
    const host = await fixture.home.host({ servers });
    await host.ready();
    expect(serverStatusOf(host)).toMatchObject({ state: "auth_required" });
    expect(serverStatusOf(host)).not.toHaveProperty("login");
  });
});

it(
  "a host does not send the client secret of a definition to another authorization server that replaces the first",
  { meta: { covers: ["S9"] } },
  async () => {
    const { as, server, home } = await makeProtectedFixture();
    const client = {
      client_id: "desk",
      client_secret: "s3cret-of-the-desk",
      redirect_uris: ["http://127.0.0.1/callback"],
      application_type: "native",
    };
    as.addClient(client);
    const { client_id, client_secret } = client;
    const auth = { type: "oauth", client_id, client_secret } as const;
    const host = await home.host({ servers: { x: { url: server.url, auth } }, ports: browsingUser().ports });
    await host.servers.login("x");
    const other = await startAuthorizationServer();
    onTestFinished(() => other.close());
    const metadata = { resource: server.url, authorization_servers: [other.issuer] };
    const answer = { status: 200, headers: { "content-type": "application/json" }, body: JSON.stringify(metadata) };
    for (let times = 0; times < 5; times++) {
      void server.injectFault(({ path }) => path.includes("oauth-protected-resource"), answer);
    }
    as.revokeGrants();
    await host.servers.reconnect("x").catch(() => {});
    await expect(host.servers.login("x")).rejects.toMatchObject({ code: "LOGIN_UNSAFE" });
    expect(other.requests.map(({ method }) => method)).not.toContain("POST");
  },
);

it(
  "a host does not send the tokens of an authorization server to another that replaces it",
  { meta: { covers: ["S9"] } },
  async () => {
    const fixture = await makeProtectedFixture();
    await createEarlierLogin(fixture);
    const file = join(fixture.home.stateFolder, "mcp-auth.json");
    const stored = (await readFile(file, "utf8")).replace(/"expires_at":\s*\d+/, '"expires_at": 1');
    await writeFile(file, stored);
    const other = await startAuthorizationServer();
    onTestFinished(() => other.close());
    // The same MCP server now names the other authorization server.
    const { refresh_token: secret } = Object.values((JSON.parse(stored) as StoredLogins).servers)[0]!;
    const metadata = { resource: fixture.server.url, authorization_servers: [other.issuer] };
    const answer = { status: 200, headers: { "content-type": "application/json" }, body: JSON.stringify(metadata) };
    const isMetadata = ({ path }: { readonly path: string }) => path.includes("oauth-protected-resource");
    for (let times = 0; times < 5; times++) void fixture.server.injectFault(isMetadata, answer);
    fixture.as.revokeAccessTokens();
    const host = await fixture.host();
    await expect(whoami(host)).rejects.toMatchObject({ code: "AUTH_REQUIRED" });
    expect(JSON.stringify(other.requests)).not.toContain(secret);
    expect(other.tokenRequests()).toEqual([]);
  },
);

interface StoredLogins {
  readonly servers: { readonly [label: string]: { readonly refresh_token: string } };
}

describe("a login that can't be stored", () => {
  it("is kept in memory, and the host emits state.failed", { meta: { covers: ["F36"] } }, async () => {
    const fixture = await makeProtectedFixture();
    await createEarlierLogin(fixture);
    const file = join(fixture.home.stateFolder, "mcp-auth.json");
    const before = await readFile(file);
    const host = await fixture.host();
    await whoami(host);
    await waitUntilIdle(fixture);
    // With a folder at the path of the temporary file, the store can be read but not written.
    await mkdir(join(fixture.home.stateFolder, ".mcp-auth.json.new"));
    fixture.as.revokeAccessTokens();
    expect(await whoami(host)).toMatchObject({ sub: "ada" });
    expect((await waitForEvent(host, "state.failed")).error).toMatchObject({ code: "STORE_UNWRITABLE" });
    expect(await readFile(file)).toEqual(before);
    fixture.as.revokeAccessTokens();
    expect(await whoami(host)).toMatchObject({ sub: "ada" });
  });
});

async function lastSeq(host: EmbeddedHost): Promise<number> {
  return (await host.as("program").workspace({ cwd: "/" })).snapshot().then(({ seq }) => seq);
}

function isStep({ question }: { readonly question: { readonly type: string } }): boolean {
  return question.type === "login" && "step" in question;
}

function pageOf({ step }: LoginQuestion): string {
  if (step?.type !== "browser") throw new Error("there is no page");
  return step.url;
}
