/**
 * Tests what a signed-in page can change (servers, tools, rules, tokens), and that no single request runs a command.
 */
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import type { ServerEntry } from "@plugboard/contracts";
import { startDaemon } from "@plugboard/daemon";
import { addNamedToken } from "@plugboard/host/tokens";
import { VERSION } from "@plugboard/host";
import { socketPath, stateFolder } from "@plugboard/store";
import { connectRemote } from "@plugboard/remote";
import { nodeHttpFetch } from "@plugboard/remote/node";
import { startRegistryServer } from "@plugboard/testkit/registry/registry-server";
import { registryEntry } from "@plugboard/testkit/registry/sample-servers";
import { isAlive, waitUntilDead } from "@plugboard/testkit/process-alive";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { startDaemonWith, testEnv } from "../helpers/running-host.ts";

async function open(
  servers: { readonly [id: string]: ServerEntry } = { s: scriptedLegacy() },
  variables: { readonly [name: string]: string } = {},
  options: Parameters<typeof startDaemonWith>[2] = {},
) {
  const running = await startDaemonWith(variables, servers, options, {});
  onTestFinished(running.close);
  const connect = async () => {
    const address = { socketPath: socketPath(running.env) };
    const host = await connectRemote({ fetch: nodeHttpFetch(address), version: VERSION, kind: "cli" });
    onTestFinished(() => host.close());
    return host;
  };
  const host = await connect();
  const readConfig = async () =>
    JSON.parse(await readFile(running.env["PLUGBOARD_CONFIG_PATH"]!, "utf8")) as {
      mcp: { servers: { [id: string]: ServerEntry }; permissions: { [effect: string]: string[] } };
    };
  return { running, host, connect, manage: host.operations, readConfig };
}

const scope = "user" as const;

describe("the operations of servers", () => {
  it(
    "runs and saves a command only by the id of a plan that shows the exact command",
    { meta: { covers: ["S17"] } },
    async () => {
      const { running, manage, connect, readConfig } = await open();
      const proof = join(running.env["HOME"]!, "ran");
      const args = ["-c", `touch ${proof}; exit 1`];
      const planned = await manage.planServer({ id: "evil", scope, entry: { command: "sh", args } });
      expect(planned).toMatchObject({ id: "evil", transport: "stdio", runs: ["sh", ...args] });
      expect(existsSync(proof)).toBe(false);
      expect(Object.keys((await readConfig()).mcp.servers)).toEqual(["s"]);

      const other = await connect();
      await expect(other.operations.testServer(planned.plan)).rejects.toMatchObject({ code: "NOT_FOUND" });
      await expect(other.operations.saveServer(planned.plan)).rejects.toMatchObject({ code: "NOT_FOUND" });
      await expect(manage.saveServer("guess")).rejects.toMatchObject({ code: "NOT_FOUND" });
      expect(existsSync(proof)).toBe(false);

      expect(await manage.testServer(planned.plan)).toMatchObject({ ok: false, error: { code: "SERVER_CRASHED" } });
      expect(existsSync(proof)).toBe(true);
      expect(Object.keys((await readConfig()).mcp.servers)).toEqual(["s"]);
    },
  );

  it("ends the server of a test when the test is cancelled, or its client leaves", async () => {
    const { running, connect } = await open();
    for (const [name, leaves] of [
      ["cancelled", false],
      ["closed", true],
    ] as const) {
      const client = await connect();
      const pidFile = join(running.env["HOME"]!, name);
      const args = ["-c", `echo $$ > ${pidFile}.new; mv ${pidFile}.new ${pidFile}; exec sleep 600`];
      const { plan } = await client.operations.planServer({ id: name, scope, entry: { command: "sh", args } });
      const abort = new AbortController();
      const test = client.operations.testServer(plan, { signal: abort.signal });
      const failed = expect(test).rejects.toMatchObject({ code: "CANCELLED" });
      const pid = Number(await vi.waitFor(() => readFile(pidFile, "utf8"), 10_000));
      expect(isAlive(pid)).toBe(true);
      if (leaves) await client.close();
      else abort.abort();
      await failed;
      await waitUntilDead(pid, 10_000);
    }
  });

  it("shows every word of a command as it is", { meta: { covers: ["A21"] } }, async () => {
    const { manage } = await open();
    const args = ["a b", "a\nb", "\u202egnp", "\u001b[2J", "<b>", "$(id)", "; id", ""];
    expect((await manage.planServer({ id: "w", scope, entry: { command: "npx", args } })).runs).toEqual([
      "npx",
      ...args,
    ]);
  });

  it("is refused to a conversation", async () => {
    const { running } = await open();
    const fetch = nodeHttpFetch({ socketPath: socketPath(running.env) });
    const chat = await connectRemote({ fetch, version: VERSION, kind: "chat" });
    onTestFinished(() => chat.close());
    await expect(chat.operations.addRules("allow", ["*"])).rejects.toMatchObject({ code: "FORBIDDEN" });
  });

  it("is refused to a program with the owner's token", { meta: { covers: ["S17"] } }, async () => {
    const { running } = await open();
    const { hostname, port } = new URL(running.url);
    const fetch = nodeHttpFetch({ host: hostname, port: Number(port), token: running.token });
    const client = await connectRemote({ fetch, version: VERSION, kind: "api" });
    onTestFinished(() => client.close());
    const draft = { id: "evil", scope, entry: { command: "sh" } };
    await expect(client.operations.planServer(draft)).rejects.toMatchObject({ code: "FORBIDDEN" });
    await expect(client.operations.createToken("x")).rejects.toMatchObject({ code: "FORBIDDEN" });
    await expect(client.operations.callFailure("x")).rejects.toMatchObject({ code: "FORBIDDEN" });
  });

  it("tests a new server, saves it, changes it and removes it", async () => {
    const { host, manage, readConfig } = await open();
    const entry = scriptedLegacy();
    const planned = await manage.planServer({ id: "new", scope, entry });
    for (const absent of ["changes", "secrets", "storable"]) expect(planned).not.toHaveProperty(absent);
    const { workspaces } = await host.control.info();
    expect(await manage.testServer(planned.plan)).toEqual({
      ok: true,
      durationMs: expect.any(Number) as number,
      era: "legacy",
      version: "2025-11-25",
      serverInfo: { name: "scripted-legacy", version: "1.0.0" },
      tools: expect.arrayContaining(["echo"]) as string[],
    });
    expect(await host.control.info()).toMatchObject({ workspaces });
    expect(await manage.saveServer(planned.plan)).toMatchObject({ action: "added", definition: { id: "new" } });
    expect((await readConfig()).mcp.servers["new"]).toEqual(entry);

    await expect(manage.planServer({ id: "new", scope, entry })).rejects.toMatchObject({ code: "SERVER_EXISTS" });
    const changed = { ...entry, request_timeout_ms: 5000 };
    const change = await manage.planServer({ id: "new", scope, entry: changed, replace: true });
    expect(change.changes).toEqual([{ path: "request_timeout_ms", after: 5000 }]);
    expect(await manage.saveServer(change.plan)).toMatchObject({ action: "replaced" });

    await manage.removeServers(["new"], scope);
    expect(Object.keys((await readConfig()).mcp.servers)).toEqual(["s"]);
  });

  it("tests a new server in the folder in which it will run after it is saved", async () => {
    const cwd = await mkdtemp(join(tmpdir(), "plugboard-workspace-"));
    onTestFinished(() => rm(cwd, { recursive: true, force: true }));
    await mkdir(join(cwd, "inner"));
    const { manage } = await open(undefined, { WORK: cwd }, { spec: { cwd } });
    const home = homedir();
    const { command, args } = scriptedLegacy();
    const noting = { command: "sh", args: ["-c", 'pwd > "$0"; exec "$@"', join(cwd, "pwd"), command, ...args] };
    for (const [place, entry, folder] of [
      ["user", noting, home],
      ["project", noting, cwd],
      ["project", { ...noting, cwd: "inner" }, join(cwd, "inner")],
      ["local", noting, cwd],
      ["user", { ...noting, cwd: "${WORK}/inner" }, "${WORK}/inner"],
    ] as const) {
      const planned = await manage.planServer({ id: "new", scope: place, entry });
      expect(planned.folder).toBe(folder);
      expect(await manage.testServer(planned.plan)).toMatchObject({ ok: true });
      expect((await readFile(join(cwd, "pwd"), "utf8")).trim()).toBe(folder.replace("${WORK}", cwd));
    }
    expect((await manage.overview()).scopes).toMatchObject([
      { scope: "user", folder: home },
      { scope: "project", folder: cwd, file: join(cwd, ".plugboard", "config.json") },
      { scope: "local", folder: cwd },
    ]);
  });

  it("shows the URL of a remote server instead of a command", async () => {
    const { manage } = await open();
    const planned = await manage.planServer({ id: "remote", scope, entry: { url: "https://mcp.example/mcp" } });
    expect(planned).toMatchObject({ transport: "http", runs: ["https://mcp.example/mcp"] });
    expect(planned).not.toHaveProperty("folder");
  });

  it("rejects a plan if the definition has changed since it was planned", async () => {
    const { running, manage, connect, readConfig } = await open();
    const other = (await connect()).operations;
    const planOf = (operations: typeof manage, request_timeout_ms: number, id = "s") =>
      operations.planServer({ id, scope, entry: { ...scriptedLegacy(), request_timeout_ms }, replace: true });
    const [mine, theirs] = [await planOf(manage, 1000), await planOf(other, 2000)];
    await other.saveServer(theirs.plan);
    await expect(manage.saveServer(mine.plan)).rejects.toMatchObject({ code: "DEFINITION_CHANGED" });
    expect((await readConfig()).mcp.servers["s"]).toMatchObject({ request_timeout_ms: 2000 });
    await manage.saveServer((await planOf(manage, 1000)).plan);
    expect((await readConfig()).mcp.servers["s"]).toMatchObject({ request_timeout_ms: 1000 });

    const added = await planOf(manage, 1000, "new");
    const config = await readConfig();
    config.mcp.servers["new"] = { command: "of somebody else" };
    await writeFile(running.env["PLUGBOARD_CONFIG_PATH"]!, JSON.stringify(config));
    await expect(manage.saveServer(added.plan)).rejects.toMatchObject({ code: "DEFINITION_CHANGED" });
    expect((await readConfig()).mcp.servers["new"]).toEqual({ command: "of somebody else" });

    const removed = await planOf(manage, 3000);
    await other.removeServers(["s"], scope);
    await expect(manage.saveServer(removed.plan)).rejects.toMatchObject({ code: "DEFINITION_CHANGED" });
  });

  it("shows no secret of a definition, and keeps it when the definition is changed", async () => {
    const secret = { ...scriptedLegacy(), env: { API_KEY: "sk-abcdef0123456789" } };
    const { manage, readConfig } = await open({ s: secret });
    const [definition] = await manage.definitions("s");
    expect(JSON.stringify(definition)).not.toContain("sk-abcdef");
    expect(definition).toMatchObject({ source: "user", scope: "user", config: { env: { API_KEY: "***" } } });
    expect(definition).not.toHaveProperty("invalid");
    const entry = { ...(definition!.config as ServerEntry), request_timeout_ms: 5000 };
    const { plan } = await manage.planServer({ id: "s", scope, entry, replace: true });
    await manage.saveServer(plan);
    expect((await readConfig()).mcp.servers["s"]).toMatchObject({ env: secret.env, request_timeout_ms: 5000 });
  });

  it("offers to store the secrets of a definition, and stores them only if the owner wants it", async () => {
    const { host, manage, readConfig, running } = await open();
    const { workspaces } = await host.control.info();
    const key = "sk-abcdef0123456789";
    const entry = { ...scriptedLegacy(), env: { API_KEY: key, REGION: "eu" } };
    const planned = await manage.planServer({ id: "new", scope, entry });
    expect(planned.storable).toMatchObject({
      found: [{ key: "API_KEY", name: "new.API_KEY" }],
      entry: { env: { API_KEY: { $secret: "new.API_KEY" }, REGION: "***" } },
      unencrypted: true,
    });
    for (const absent of ["alreadyPlain", "secretStoreProblem"]) expect(planned.storable).not.toHaveProperty(absent);
    expect(JSON.stringify(planned)).not.toContain(key);
    expect(await manage.testServer(planned.plan)).toMatchObject({ ok: true });
    expect((await running.daemon.workspace.secrets.list()).secrets).toEqual([]);
    await manage.saveServer(planned.plan, { storeSecrets: true });
    expect((await readConfig()).mcp.servers["new"]).toMatchObject({
      env: { API_KEY: { $secret: "new.API_KEY" }, REGION: "eu" },
    });
    expect((await running.daemon.workspace.secrets.list()).secrets).toMatchObject([{ name: "new.API_KEY" }]);

    const plain = await manage.planServer({ id: "plain", scope, entry });
    await manage.saveServer(plain.plan);
    expect((await readConfig()).mcp.servers["plain"]).toMatchObject({ env: { API_KEY: key } });
    const storableOf = async (API_KEY: string) => {
      const replacing = { ...entry, env: { API_KEY, REGION: "eu" } };
      return (await manage.planServer({ id: "plain", scope, entry: replacing, replace: true })).storable;
    };
    expect(await storableOf(key)).toMatchObject({ alreadyPlain: true });
    expect(await storableOf("sk-9876543210fedcba")).not.toHaveProperty("alreadyPlain");
    expect(await host.control.info()).toMatchObject({ workspaces });
  });

  it("shows in a plan that a masked value changes", async () => {
    const { manage } = await open({ s: { ...scriptedLegacy(), env: { REGION: "eu" } } });
    const changesOf = async (REGION: string) => {
      const entry = { ...scriptedLegacy(), env: { REGION } };
      return (await manage.planServer({ id: "s", scope, entry, replace: true })).changes;
    };
    expect(await changesOf("us")).toEqual([{ path: "env.REGION", before: "***", after: "***" }]);
    expect(await changesOf("eu")).toEqual([]);
    expect(await changesOf("***")).toEqual([]);
  });

  it("enables and disables servers and tools in their file", async () => {
    const { manage, readConfig } = await open();
    await manage.enableServer("s", false);
    expect((await readConfig()).mcp.servers["s"]).toMatchObject({ enabled: false });
    await manage.enableServer("s", true);
    await manage.enableTool("s", "echo", false);
    expect((await readConfig()).mcp.servers["s"]).toMatchObject({ enabled: true, tools: { exclude: ["echo"] } });
    expect(await manage.hiddenTools()).toEqual([{ server: "s", tool: "echo" }]);
    await manage.enableTool("s", "echo", true);
    expect((await readConfig()).mcp.servers["s"]).not.toHaveProperty("tools");
    await expect(manage.enableServer("none", true)).rejects.toMatchObject({ code: "SERVER_UNKNOWN" });
  });

  it("disables a server of a config file from the command line in that file, and allows no other change of it", async () => {
    const folder = await mkdtemp(join(tmpdir(), "plugboard-given-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const file = join(folder, "given.json");
    const given = { ...scriptedLegacy(), env: { SERVER: "given" } };
    await writeFile(file, JSON.stringify({ mcp: { servers: { given } } }));
    const { manage } = await open(undefined, {}, { spec: { cwd: folder, configFiles: [file] } });
    await writeFile(file, JSON.stringify({ mcp: { servers: { given, bad: { command: 7 } } } }));
    const [shown] = await manage.definitions("given");
    expect(shown).toMatchObject({
      source: "invocation",
      file,
      config: { transport: "stdio", ...given, env: { SERVER: "***" } },
    });
    expect(shown).not.toHaveProperty("scope");
    expect(await manage.definitions("bad")).toEqual([
      { id: "bad", source: "invocation", file, enabled: false, invalid: expect.stringContaining("command") as string },
    ]);
    await manage.enableServer("given", false);
    expect(JSON.parse(await readFile(file, "utf8"))).toMatchObject({ mcp: { servers: { given: { enabled: false } } } });
  });
});

describe("the operations of the registry's servers", () => {
  const draft = { id: "w", scope, name: "io.github.example/weather-mcp", values: {} };
  const choice = "pypi package weather-mcp-server 0.5.0";

  it("finds the first servers that contain every word, and says which are deprecated", async () => {
    const entry = (name: string, official = {}) => registryEntry({ name, title: `The ${name}` }, official);
    const servers = Array.from({ length: 40 }, (_, n) => entry(`com.example/notes-${n}`));
    const old = entry("com.example/notes-old", { status: "deprecated", statusMessage: "Use notes-1." });
    const older = registryEntry({ name: "com.example/notes-older", title: undefined }, { status: "deprecated" });
    const registry = await startRegistryServer({ servers: [old, older, entry("com.example/mail"), ...servers] });
    onTestFinished(() => registry.close());
    const { manage } = await open({}, { PLUGBOARD_REGISTRY_URL: registry.url });
    const found = await manage.searchRegistry(["notes", "example"], { limit: 30 });
    expect(found).toMatchObject({ registry: registry.url, invalidCount: 0, hasMore: true });
    const hits = found.servers;
    expect(hits.map(({ name }) => name)).toEqual(
      [old, older, ...servers.slice(0, 28)].map(({ server }) => server.name),
    );
    expect(hits[0]).toMatchObject({ title: "The com.example/notes-old", statusMessage: "Use notes-1." });
    expect(hits[1]).toMatchObject({ status: "deprecated" });
    expect(hits[1]).not.toHaveProperty("title");
    expect(hits[2]).toMatchObject({ status: "active" });
  });

  it("plans a server with the values of its inputs, and stores a secret only when it is saved", async () => {
    const registry = await startRegistryServer();
    onTestFinished(() => registry.close());
    const { manage, host, readConfig } = await open({}, { PLUGBOARD_REGISTRY_URL: registry.url });
    const values = { WEATHER_API_KEY: ["canary-1"], WEATHER_UNITS: ["fahrenheit"] };
    const planned = await manage.planRegistryServer({ ...draft, choice, values });
    expect(JSON.stringify(planned)).not.toContain("canary");
    expect(planned).toMatchObject({
      runs: ["uvx", "weather-mcp-server==0.5.0"],
      secrets: [{ name: "w.WEATHER_API_KEY", given: true }],
    });
    const workspace = await host.workspace({ cwd: "/" });
    expect((await workspace.secrets.list()).secrets).toEqual([]);
    await manage.saveServer(planned.plan);
    expect((await workspace.secrets.list()).secrets).toMatchObject([{ name: "w.WEATHER_API_KEY", state: "stored" }]);
    expect((await readConfig()).mcp.servers["w"]).toMatchObject({
      env: { WEATHER_API_KEY: { $secret: "w.WEATHER_API_KEY" }, WEATHER_UNITS: "fahrenheit" },
    });
  });

  it("reads a server again only for a caller that was not shown it", async () => {
    const registry = await startRegistryServer();
    onTestFinished(() => registry.close());
    const { manage, connect } = await open({}, { PLUGBOARD_REGISTRY_URL: registry.url });
    const { version } = await manage.registryServer(draft.name);
    const filling = { id: draft.id, name: draft.name, version, choice, values: {} };
    await manage.fillRegistryChoice(filling);
    expect(registry.requests).toHaveLength(1);
    await (await connect()).operations.fillRegistryChoice(filling);
    expect(registry.requests).toHaveLength(2);
  });

  it("stores no secret of a plan that can't be saved", async () => {
    const registry = await startRegistryServer();
    onTestFinished(() => registry.close());
    const { manage, host, connect } = await open({}, { PLUGBOARD_REGISTRY_URL: registry.url });
    const planned = await manage.planRegistryServer({ ...draft, choice, values: { WEATHER_API_KEY: ["canary-1"] } });
    const other = (await connect()).operations;
    await other.saveServer((await other.planServer({ id: "w", scope, entry: scriptedLegacy() })).plan);
    await expect(manage.saveServer(planned.plan)).rejects.toMatchObject({ code: "SERVER_EXISTS" });
    const workspace = await host.workspace({ cwd: "/" });
    expect((await workspace.secrets.list()).secrets).toEqual([]);
  });

  it("refuses an unknown choice, an invalid value and a draft of another form", async () => {
    const registry = await startRegistryServer();
    onTestFinished(() => registry.close());
    const { manage } = await open({}, { PLUGBOARD_REGISTRY_URL: registry.url });
    const plan = (more: object) => manage.planRegistryServer({ ...draft, choice, ...more });
    await expect(plan({ choice: "npm package evil" })).rejects.toMatchObject({ code: "NOT_FOUND" });
    await expect(plan({ name: "com.example/unknown" })).rejects.toMatchObject({ code: "NOT_FOUND" });
    await expect(plan({ values: { WEATHER_UNITS: ["kelvin"] } })).rejects.toMatchObject({ code: "USAGE" });
    await expect(plan({ values: { WEATHER_UNITS: "celsius" } })).rejects.toMatchObject({ code: "USAGE" });
    await expect(plan({ version: "0.0.1" })).rejects.toMatchObject({ code: "NOT_FOUND" });
    for (const malformed of [{ scope: "managed" }, { values: 7 }, { version: 7 }])
      await expect(plan(malformed)).rejects.toMatchObject({ code: "USAGE" });
  });
});

describe("the reasons of failed calls", () => {
  it("include the arguments of the call, without the secrets of the server, and nothing of other calls", async () => {
    const { running, host, manage } = await open({ s: { ...scriptedLegacy(), env: { API_KEY: "canary-1" } } });
    const workspace = await host.workspace({ cwd: running.env["HOME"]!, env: running.env });
    const ended: string[] = [];
    const calls = [
      workspace.tools.call("s:echo", { text: 7, note: "it is canary-1" }).catch(() => {}),
      workspace.tools.call("s:echo", { text: "fine" }),
    ];
    await Promise.all(calls);
    for await (const event of host.events(0)) {
      if (event.type === "call.ended") ended.push(event.call);
      if (ended.length === calls.length) break;
    }
    const failures = await Promise.all(ended.map((call) => manage.callFailure(call)));
    expect(failures).toContainEqual({
      reason: expect.stringContaining("text") as string,
      arguments: { text: 7, note: "it is ***" },
      masked: true,
    });
    expect(failures).toContainEqual({});
  });
});

describe("the operations of rules, tokens and clients", () => {
  it("lists the profiles, and refuses to connect a client to an unknown profile", async () => {
    const { manage, running } = await open();
    const config = { mcp: { profiles: { work: { servers: ["s"] }, bad: { servers: 1 } } } };
    await writeFile(running.env["PLUGBOARD_CONFIG_PATH"]!, JSON.stringify(config));
    expect((await manage.overview()).profiles).toEqual(["work"]);
    expect((await manage.connectInstructions("codex", { profile: "work" })).snippets).toMatchObject([
      { transport: "stdio", text: expect.stringMatching(/"--profile",\s+"work"/) as string },
      { transport: "http", text: expect.stringContaining(`${running.url}/p/work`) as string },
    ]);
    await expect(manage.planConnect("codex", { profile: "x" })).rejects.toMatchObject({ code: "USAGE" });
  });

  it("connects a client in the user's file, and only when the plan is applied", async () => {
    const { manage, running } = await open();
    const file = join(running.env["HOME"]!, ".cursor", "mcp.json");
    const planned = await manage.planConnect("cursor");
    expect(planned).toMatchObject({ action: "add", file });
    expect(existsSync(file)).toBe(false);
    await manage.changeClient(planned.plan);
    expect(JSON.parse(await readFile(file, "utf8"))).toMatchObject({
      mcpServers: { plugboard: { args: expect.any(Array) as string[] } },
    });
  });

  it("revokes the token of a client that is disconnected", async () => {
    const { manage, running } = await open();
    const token = await addNamedToken(running.env, {
      name: "connect-cursor",
      profile: undefined,
      mayApprove: false,
      now: 0,
    });
    const file = join(running.env["HOME"]!, ".cursor", "mcp.json");
    await mkdir(join(running.env["HOME"]!, ".cursor"));
    const plugboard = { url: running.url, headers: { Authorization: `Bearer ${token}` } };
    const filesOfCursor = async () => (await manage.clients()).find(({ client }) => client === "cursor")?.files;
    expect(await filesOfCursor()).toEqual([]);
    await writeFile(file, JSON.stringify({ mcpServers: { plugboard } }));
    expect(await filesOfCursor()).toMatchObject([{ file, connections: [{ name: "plugboard", kind: "http" }] }]);
    const planned = await manage.planDisconnect("cursor");
    expect(planned).toMatchObject({ action: "remove", file });
    expect(JSON.stringify(planned)).not.toContain(token);
    expect(await manage.tokens()).toHaveLength(1);
    await manage.changeClient(planned.plan);
    expect(await manage.tokens()).toEqual([]);
    expect(JSON.parse(await readFile(file, "utf8"))).toEqual({ mcpServers: {} });
  });

  it("adds a rule with one effect, removes it, and finds the rules that may apply to a tool", async () => {
    const { manage, readConfig } = await open();
    await manage.addRules("allow", ["s:echo"]);
    await manage.addRules("deny", ["s:echo"]);
    expect((await readConfig()).mcp.permissions).toMatchObject({ deny: ["s:echo"], allow: [] });
    expect(await manage.rules()).toMatchObject([{ effect: "deny", rule: "s:echo", source: "user" }]);
    await manage.removeRules({ rules: ["s:echo"] });
    expect(await manage.rules()).toEqual([]);
    const texts = ["*", "s:ec*(text=a)", "o*:echo", "s:other"];
    await manage.addRules("ask", texts);
    const found = await manage.rules({ server: "s", tool: "echo" });
    expect(found.map(({ rule }) => rule)).toEqual(["s:ec*(text=a)", "*"]);
    await expect(manage.addRules("allow", ["s:echo("])).rejects.toMatchObject({ code: "USAGE" });
  });

  it("lists the decisions that another process has stored, also without an open workspace", async () => {
    const { env, remove } = await testEnv();
    onTestFinished(remove);
    const daemon = await startDaemon({ env });
    onTestFinished(() => daemon.stop());
    const fetch = nodeHttpFetch({ socketPath: socketPath(env) });
    const host = await connectRemote({ fetch, version: VERSION, kind: "cli", operationsIn: { cwd: env.HOME } });
    onTestFinished(() => host.close());
    expect(await host.operations.decisions()).toEqual([]);
    const stored = { id: "d", at: 0, grantee: "everyone", server: "s", definition: "h", tool: "echo", pin: "p" };
    const entries = [{ ...stored, approved: { name: "echo", inputSchema: {} } }];
    await writeFile(join(stateFolder(env), "decisions.json"), JSON.stringify({ version: 1, entries }));
    expect(await host.operations.decisions()).toMatchObject([{ id: "d", scope: "always" }]);
  });

  it("creates, lists and revokes tokens, and never lists their digests", async () => {
    const { manage } = await open();
    expect(await manage.createToken("cursor", { mayApprove: true })).toMatch(/^\S{32,}$/);
    await manage.createToken("work", { profile: "work" });
    const createdAt = expect.any(Number) as number;
    expect(await manage.tokens()).toEqual([
      { name: "cursor", createdAt, mayApprove: true },
      { name: "work", createdAt, mayApprove: false, profile: "work" },
    ]);
    await manage.revokeToken("work");
    await manage.revokeToken("cursor");
    expect(await manage.tokens()).toEqual([]);
  });

  it("describes the host, its folder and the files that can be changed", async () => {
    const { manage, running } = await open();
    expect(await manage.overview()).toMatchObject({
      version: VERSION,
      folder: running.env["HOME"],
      endpoint: new URL(running.url).origin,
      sandboxOrigin: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) as string,
      scopes: expect.arrayContaining([
        { scope: "user", file: running.env["PLUGBOARD_CONFIG_PATH"], folder: homedir() },
      ]) as object[],
    });
  });
});
