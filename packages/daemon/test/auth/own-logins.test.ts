/** Tests servers at which each principal of the gateway logs in itself, with a real authorization server. */
import { writeFile } from "node:fs/promises";
import type { ServerEntry } from "@plugboard/contracts";
import { addNamedToken, deleteNamedToken, ownerToken } from "@plugboard/host/tokens";
import { startDaemon } from "@plugboard/daemon";
import { startAuthorizationServer } from "@plugboard/testkit/authorization-server";
import type { AuthorizationServer, AuthorizationServerOptions } from "@plugboard/testkit/authorization-server";
import { completeLogin } from "@plugboard/testkit/complete-login";
import { startProtectedServer } from "@plugboard/testkit/protected-server";
import type { ProtectedServer } from "@plugboard/testkit/protected-server";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { startRunningHost, testEnv } from "../helpers/running-host.ts";
import type { RunningHost } from "../helpers/running-host.ts";
import { startTokenIssuer } from "../helpers/token-issuer.ts";
import { openClient } from "../../../gateway/test/helpers/official-clients.ts";
import type { AnswerElicitation, ClientKind, OfficialClient } from "../../../gateway/test/helpers/official-clients.ts";
import { sendRequest, sendToolCall } from "../../../gateway/test/helpers/raw-modern-client.ts";
import { startScriptedModern } from "../../../gateway/test/helpers/scripted-modern.ts";
import { watchInbox } from "../../../gateway/test/helpers/watch-inbox.ts";

const AUDIENCE = "https://mcp.example.com/mcp";
const FORM = { type: "object", properties: { pin: { type: "string" } }, required: ["pin"] };
const HTTP_KINDS = ["legacy over HTTP", "modern over HTTP"] as const;

interface Fixture {
  readonly as: AuthorizationServer;
  readonly server: ProtectedServer;
  readonly host: RunningHost;
  /** Returns the host as the holder of a new named token sees it. */
  named(name: string): Promise<RunningHost>;
  /** Returns the host as a subject of the external issuer sees it. */
  subject(sub: string): Promise<RunningHost>;
}

async function setUp(entry: Partial<ServerEntry> = {}, options: AuthorizationServerOptions = {}): Promise<Fixture> {
  const as = await startAuthorizationServer(options);
  onTestFinished(() => as.close());
  const server = await startProtectedServer(as);
  onTestFinished(() => server.close());
  const issuer = await startTokenIssuer();
  const auth = { issuer: issuer.url, audience: AUDIENCE, scopes: { mcp: "*" } };
  const { env, remove } = await testEnv();
  const servers = { x: { url: server.url, ...entry } };
  const mcp = { servers, permissions: { allow: ["*"] }, gateway: { auth } };
  await writeFile(env.PLUGBOARD_CONFIG_PATH, JSON.stringify({ mcp }));
  const daemon = await startDaemon({ port: 0, env, lingerMs: 0, spec: { cwd: env.HOME }, keyCooldownMs: 0 });
  await daemon.workspace.start();
  const close = async () => {
    await daemon.stop();
    await remove();
  };
  onTestFinished(close);
  const host: RunningHost = { daemon, env, close, url: `${daemon.endpoint}/mcp`, token: await ownerToken(env) };
  return {
    as,
    server,
    host,
    named: async (name) => ({ ...host, token: await addNamedToken(env, { name, mayApprove: false, now: Date.now() }) }),
    subject: async (sub) => ({ ...host, token: await issuer.sign({ aud: AUDIENCE, sub, scope: "mcp" }) }),
  };
}

/** Answers like a person who opens the page that the client shows, and logs in there under this name. */
function loggingInAs(user: string): AnswerElicitation {
  let page = "";
  return async (message, { mode, url }) => {
    if (mode === "url") page = url as string;
    else page = /https?:\S+/.exec(message)?.[0] ?? page;
    const code = /the code (\S+)\./.exec(message)?.[1];
    const isForm = mode !== "url";
    if (code !== undefined) await completeLogin(page, { user, code });
    if (!isForm) return { action: "accept", content: {} };
    const { url: redirect } = await completeLogin(page, { user });
    return { action: "accept", content: { redirect_url: redirect } };
  };
}

async function open(kind: ClientKind, as: RunningHost, answer: AnswerElicitation): Promise<OfficialClient> {
  const client = await openClient(kind, as, answer);
  onTestFinished(() => client.close());
  return client;
}

async function userOf(client: OfficialClient): Promise<unknown> {
  return (JSON.parse(await client.call("x__whoami")) as { sub: string }).sub;
}

/** Logs the owner in at the server `x`, as the person with this name. */
async function logInOwner({ host }: Fixture, user: string): Promise<void> {
  const owner = host.daemon.connect("program", { attended: true });
  const workspace = await owner.workspace({ cwd: host.env["HOME"]! });
  const login = workspace.servers.login("x");
  const { url } = await vi.waitFor(async () => {
    const questions = await workspace.inbox.list();
    const steps = questions.flatMap((one) => (one.type === "login" && one.step ? [one.step] : []));
    expect(steps).toHaveLength(1);
    return steps[0]!;
  });
  await completeLogin(url, { user, callback: "visit" });
  await login;
  await owner.close();
}

/** Returns the name of the user as whom the server treats the owner's own calls. */
async function ownerAtServer({ host }: Fixture): Promise<string> {
  const result = await host.daemon.workspace.tools.call("x:whoami", {});
  return (JSON.parse((result.content[0] as { text: string }).text) as { sub: string }).sub;
}

/** For each access token, returns the values of the argument `a` in the calls of `add`. */
function numbersByAuthorization({ requests }: ProtectedServer): Set<number>[] {
  const numbers = new Map<string, Set<number>>();
  for (const { headers, body } of requests) {
    const a = /"arguments":\{"a":(\d+)/.exec(body)?.[1];
    if (a === undefined) continue;
    const authorization = headers.authorization ?? "none";
    numbers.set(authorization, (numbers.get(authorization) ?? new Set()).add(Number(a)));
  }
  return [...numbers.values()];
}

describe.each(HTTP_KINDS)("a %s client of a principal that is not logged in", (kind) => {
  it("sees only the tool that logs in, and after the login with a device code the tools of the server", async () => {
    const fixture = await setUp({ login: "each" });
    const ann = await open(kind, await fixture.named("ann"), loggingInAs("ann"));
    expect(await ann.listTools()).toEqual(["x__log_in"]);
    expect(await ann.call("x__log_in")).toContain("You are logged in");
    expect(ann.asked).toMatchObject([{ mode: "url", message: expect.stringContaining("the code ") as string }]);
    await vi.waitFor(async () => expect(await ann.listTools()).toEqual(["x__add", "x__admin", "x__whoami"]));
    expect(await userOf(ann)).toBe("ann");
    expect(ann.asked).toHaveLength(1);
  });

  it("logs in with a pasted URL if the authorization server has no device codes", async () => {
    const fixture = await setUp({ login: "each" }, { deviceCodes: false });
    const ann = await open(kind, await fixture.named("ann"), loggingInAs("ann"));
    expect(await ann.call("x__log_in")).toContain("You are logged in");
    expect(ann.asked.map(({ mode = "form" }) => mode)).toEqual(["url", "form"]);
    expect(await userOf(ann)).toBe("ann");
  });

  it("is asked by the call of a tool when its login has become invalid, and the call goes on", async () => {
    const fixture = await setUp({ login: "each" });
    const ann = await open(kind, await fixture.named("ann"), loggingInAs("ann"));
    await ann.call("x__log_in");
    expect(await userOf(ann)).toBe("ann");
    fixture.as.revokeGrants();
    expect(await userOf(ann)).toBe("ann");
    expect(ann.asked).toHaveLength(2);
  });

  it("keeps the tools of the server while its login is invalid, and can call them to log in again", async () => {
    const fixture = await setUp({ login: "each" });
    let isWilling = true;
    const logIn = loggingInAs("ann");
    const ann = await open(kind, await fixture.named("ann"), (...question) =>
      isWilling ? logIn(...question) : { action: "cancel" },
    );
    await ann.call("x__log_in");
    await userOf(ann);
    fixture.as.revokeGrants();
    isWilling = false;
    expect(await ann.call("x__whoami")).toContain('The login at "x" failed');
    expect(await ann.listTools()).toEqual(["x__add", "x__admin", "x__whoami", "x__log_in"]);
    isWilling = true;
    expect(await userOf(ann)).toBe("ann");
  });
});

describe("two principals that log in themselves", () => {
  const kindsOfTokens = [
    { tokens: "named tokens", entry: { login: "each" }, principal: "named" },
    { tokens: "subjects of an external issuer, by default,", entry: {}, principal: "subject" },
  ] as const;

  it.each(kindsOfTokens)("with $tokens have two logins, and no request has the token of the other", async (row) => {
    const fixture = await setUp(row.entry);
    await logInOwner(fixture, "olga");
    const [first, second] = await Promise.all([fixture[row.principal]("ann"), fixture[row.principal]("bob")]);
    const ann = await open("modern over HTTP", first, loggingInAs("ann"));
    const bob = await open("legacy over HTTP", second, loggingInAs("bob"));
    await Promise.all([ann.call("x__log_in"), bob.call("x__log_in")]);
    const call = (client: OfficialClient, a: number) => client.call("x__add", { a, b: 0 });
    const rounds = Array.from({ length: 10 }, () => [call(ann, 1), call(bob, 2)]);
    const own = fixture.host.daemon.workspace.tools.call("x:add", { a: 3, b: 0 });
    await Promise.all([...rounds.flat(), own]);
    expect(numbersByAuthorization(fixture.server)).toHaveLength(3);
    for (const numbers of numbersByAuthorization(fixture.server)) expect(numbers.size).toBe(1);
    expect([await userOf(ann), await userOf(bob), await ownerAtServer(fixture)]).toEqual(["ann", "bob", "olga"]);
  });

  it("are listed with their names beside the owner's login", async () => {
    const fixture = await setUp({ login: "each" });
    await logInOwner(fixture, "olga");
    const ann = await open("modern over HTTP", await fixture.named("ann"), loggingInAs("ann"));
    await ann.call("x__log_in");
    const { logins } = await fixture.host.daemon.workspace.logins.list();
    expect(new Set(logins.map(({ principal }) => principal))).toEqual(new Set(["ann", undefined]));
  });

  it("are each asked only in their own client, and the calls of the other go on", async () => {
    const fixture = await setUp({ login: "each" });
    await logInOwner(fixture, "olga");
    const bob = await open("modern over HTTP", await fixture.named("bob"), loggingInAs("bob"));
    await bob.call("x__log_in");
    const events: unknown[] = [];
    const follow = new AbortController();
    onTestFinished(() => follow.abort());
    void (async () => {
      for await (const event of fixture.host.daemon.events(undefined, follow.signal)) events.push(event);
    })().catch(() => {});
    const answer = deferred<void>();
    const ann = await open("legacy over HTTP", await fixture.named("ann"), async (message, params) => {
      await answer.promise;
      return loggingInAs("ann")(message, params);
    });
    const calling = ann.call("x__log_in");
    await vi.waitFor(() => expect(ann.asked).toHaveLength(1));
    expect(await userOf(bob)).toBe("bob");
    expect(bob.asked).toHaveLength(1);
    expect(await ownerAtServer(fixture)).toBe("olga");
    const watcher = fixture.host.daemon.connect("program", { attended: true });
    const workspace = await watcher.workspace({ cwd: fixture.host.env["HOME"]! });
    expect(await workspace.inbox.list()).toEqual([]);
    expect(JSON.stringify(events)).not.toContain(new URL(ann.asked[0]!["url"] as string).searchParams.get("user_code"));
    await watcher.close();
    answer.resolve();
    await calling;
    expect(await userOf(ann)).toBe("ann");
    expect(await userOf(bob)).toBe("bob");
  });

  it("can't answer a question of the other principal", async () => {
    const fixture = await setUp({ login: "each" });
    const [ann, bob] = [await fixture.named("ann"), await fixture.named("bob")];
    const capabilities = { elicitation: { form: {}, url: {} } };
    const { result } = await sendToolCall(ann, "x__log_in", {}, { capabilities });
    const { requestState } = result!;
    const params = { requestState, inputResponses: { login: { action: "accept" } } };
    await sendRequest(bob, "tools/list");
    const stolen = await sendToolCall(bob, "x__log_in", {}, { capabilities, params });
    expect(stolen.result).toBeUndefined();
    expect(stolen.error?.message).toBeDefined();
  });
});

describe("a server whose login is shared", () => {
  it.each([
    { who: "a named token by default", entry: {}, principal: "named" },
    { who: "a subject if the definition says so", entry: { login: "shared" }, principal: "subject" },
  ] as const)("is used by $who with the owner's login", async ({ entry, principal }) => {
    const fixture = await setUp(entry);
    await logInOwner(fixture, "olga");
    const ann = await open("modern over HTTP", await fixture[principal]("ann"), loggingInAs("ann"));
    expect(await userOf(ann)).toBe("olga");
    expect(ann.asked).toEqual([]);
  });
});

describe("the owner's login", () => {
  it("and the own login of a principal are never mixed up", { meta: { covers: ["S22"] } }, async () => {
    const fixture = await setUp({ login: "each" });
    const ann = await open("modern over HTTP", await fixture.named("ann"), loggingInAs("ann"));
    await ann.call("x__log_in");
    await expect(ownerAtServer(fixture)).rejects.toMatchObject({ code: "AUTH_REQUIRED" });
    await logInOwner(fixture, "olga");
    const bob = await open("modern over HTTP", await fixture.named("bob"), loggingInAs("bob"));
    expect(await bob.listTools()).toEqual(["x__log_in"]);
  });

  it("is no longer used for a principal when the definition now says that each principal logs in itself", async () => {
    const fixture = await setUp();
    const { env } = fixture.host;
    await logInOwner(fixture, "olga");
    const ann = await fixture.named("ann");
    expect((await sendToolCall(ann, "x__whoami")).result?.content?.[0]?.text).toContain("olga");
    const servers = { x: { url: fixture.server.url, login: "each" } };
    const changed = { mcp: { servers, permissions: { allow: ["*"] } } };
    await writeFile(env["PLUGBOARD_CONFIG_PATH"]!, JSON.stringify(changed));
    await vi.waitFor(
      async () => {
        const { result } = await sendRequest(ann, "tools/list");
        expect((result!["tools"] as { name: string }[]).map(({ name }) => name)).toEqual(["x__log_in"]);
      },
      { timeout: 10_000 },
    );
  });
});

it("a client that answers the login question after the login is complete learns that its user is logged in", async () => {
  const fixture = await setUp({ login: "each" });
  const ann = await fixture.named("ann");
  const capabilities = { elicitation: { form: {}, url: {} } };
  const { result } = await sendToolCall(ann, "x__log_in", {}, { capabilities });
  const { login } = result!.inputRequests as { login: { params: { message: string; url: string } } };
  await loggingInAs("ann")(login.params.message, { mode: "url", ...login.params });
  await vi.waitFor(async () => {
    const listed = await sendRequest(ann, "tools/list");
    expect(JSON.stringify(listed.result)).toContain("x__whoami");
  });
  const params = { requestState: result!.requestState, inputResponses: { login: { action: "accept" } } };
  const resumed = await sendToolCall(ann, "x__log_in", {}, { capabilities, params });
  expect(resumed.result?.content?.[0]?.text).toContain("You are logged in");
});

describe("a client that can't be asked", () => {
  const NO_CAPABILITIES = { capabilities: {} };

  it("gets the page and the code in a result, and its call works after the login", async () => {
    const fixture = await setUp({ login: "each" });
    const ann = await fixture.named("ann");
    const { result } = await sendToolCall(ann, "x__log_in", {}, NO_CAPABILITIES);
    expect(result?.isError).toBe(true);
    const text = result!.content![0]!.text;
    const [, page] = /log in there: (\S+)/.exec(text)!;
    const [, code] = /the code (\S+)\./.exec(text)!;
    await completeLogin(page!, { user: "ann", code: code! });
    await vi.waitFor(
      async () => {
        const called = await sendToolCall(ann, "x__whoami", {}, NO_CAPABILITIES);
        expect(called.result?.content?.[0]?.text).toContain('"sub":"ann"');
      },
      { timeout: 10_000 },
    );
  });

  it("passes the pasted URL to the tool that logs in", async () => {
    const fixture = await setUp({ login: "each" }, { deviceCodes: false });
    const ann = await fixture.named("ann");
    const { result } = await sendToolCall(ann, "x__log_in", {}, NO_CAPABILITIES);
    const [, page] = /log in there: (\S+)/.exec(result!.content![0]!.text)!;
    const { url } = await completeLogin(page!, { user: "ann" });
    const pasted = await sendToolCall(ann, "x__log_in", { redirect_url: url }, NO_CAPABILITIES);
    expect(pasted.result?.content?.[0]?.text).toContain("You are logged in");
    const called = await sendToolCall(ann, "x__whoami", {}, NO_CAPABILITIES);
    expect(called.result?.content?.[0]?.text).toContain('"sub":"ann"');
  });

  it("gets a readable result if the pasted URL is not the redirect of this login", async () => {
    const fixture = await setUp({ login: "each" }, { deviceCodes: false });
    const ann = await fixture.named("ann");
    await sendToolCall(ann, "x__log_in", {}, NO_CAPABILITIES);
    const url = "http://127.0.0.1:7439/callback?code=stolen&state=forged";
    const { result } = await sendToolCall(ann, "x__log_in", { redirect_url: url }, NO_CAPABILITIES);
    expect(result?.isError).toBe(true);
    expect(result?.content?.[0]?.text).toContain("Each client logs in itself");
    expect((await fixture.host.daemon.workspace.logins.list()).logins).toEqual([]);
  });
});

describe("a question that a server asks on the own connection of a principal", () => {
  it("is not passed on to the owner, who would answer in the principal's name", async () => {
    const ask = { method: "elicitation/create", params: { message: "Your PIN?", requestedSchema: FORM } };
    const server = await startScriptedModern(
      { tools: {} },
      {
        "tools/list": () => ({
          tools: [{ name: "ask", inputSchema: { type: "object" } }],
          ttlMs: 0,
          cacheScope: "private",
        }),
        "tools/call": ({ inputResponses }) =>
          inputResponses
            ? { content: [{ type: "text", text: JSON.stringify(inputResponses) }] }
            : { resultType: "input_required", inputRequests: { pin: ask }, requestState: "s" },
      },
    );
    onTestFinished(() => server.close());
    const host = await startRunningHost({ x: { url: server.url, login: "each" } });
    onTestFinished(host.close);
    const asked = await watchInbox(host, () => ({ type: "elicitation", action: "accept", content: { pin: "1" } }));
    const token = await addNamedToken(host.env, { name: "ann", mayApprove: false, now: Date.now() });
    const { result } = await sendToolCall({ ...host, token }, "x__ask", {}, { capabilities: {} });
    expect(result?.content?.[0]?.text).toContain('"cancel"');
    expect(asked).toEqual([]);
  });
});

describe("a stored login of a principal", () => {
  it("is used after a restart of the host, unless its token was revoked meanwhile", async () => {
    const fixture = await setUp({ login: "each" });
    const { env, daemon } = fixture.host;
    const [annHost, bobHost] = [await fixture.named("ann"), await fixture.named("bob")];
    for (const [one, user] of [
      [annHost, "ann"],
      [bobHost, "bob"],
    ] as const) {
      const client = await openClient("modern over HTTP", one, loggingInAs(user));
      await client.call("x__log_in");
      await client.close();
    }
    await daemon.stop();
    await deleteNamedToken(env, "ann");
    const next = await startDaemon({ port: 0, env, lingerMs: 0, spec: { cwd: env["HOME"]! }, keyCooldownMs: 0 });
    onTestFinished(() => next.stop());
    await next.workspace.start();
    const bob = await open("modern over HTTP", { ...bobHost, url: `${next.endpoint}/mcp` }, () => ({
      action: "cancel",
    }));
    expect(await userOf(bob)).toBe("bob");
    const names = async () => (await next.workspace.logins.list()).logins.map(({ principal }) => principal);
    await vi.waitFor(async () => expect(await names()).toEqual(["bob"]));
  });
});

describe("a revoked token", () => {
  it("loses its login, and a new token of the same name has to log in", async () => {
    const fixture = await setUp({ login: "each" });
    const { env, daemon } = fixture.host;
    const ann = await open("modern over HTTP", await fixture.named("ann"), loggingInAs("ann"));
    const bob = await open("modern over HTTP", await fixture.named("bob"), loggingInAs("bob"));
    await Promise.all([ann.call("x__log_in"), bob.call("x__log_in")]);
    await deleteNamedToken(env, "ann");
    const names = async () => (await daemon.workspace.logins.list()).logins.map(({ principal }) => principal);
    await vi.waitFor(async () => expect(await names()).toEqual(["bob"]), { timeout: 10_000 });
    expect(fixture.as.requests.filter(({ path }) => path.includes("revocation"))).not.toHaveLength(0);
    const again = await open("modern over HTTP", await fixture.named("ann"), loggingInAs("eve"));
    expect(await again.listTools()).toEqual(["x__log_in"]);
    expect(await userOf(bob)).toBe("bob");
  });
});

/** Node 20 has no `Promise.withResolvers`. */
function deferred<T>(): { readonly promise: Promise<T>; resolve(value: T): void } {
  let resolve!: (value: T) => void;
  const promise = new Promise<T>((settle) => (resolve = settle));
  return { promise, resolve };
}
