/** Tests servers that start when they are first used. Until then, their tools come from the cache of an earlier run. */
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { VERSION } from "@plugboard/host";
import { memoryStdio } from "@plugboard/testkit/third-party-servers";
import { isAlive, waitUntilDead } from "@plugboard/testkit/process-alive";
import { modernStdio, scriptedLegacy, startScriptedHttp } from "@plugboard/testkit/start-server";
import { describe, expect, it, onTestFinished } from "vitest";
import { waitForEvent, eventsOf, makeTestHome, pidOf, toolNamesOf } from "../helpers/embedded-host.ts";

interface ReceivedRequest {
  readonly method: string;
  readonly params: object;
}

const lazy = { ...scriptedLegacy(), start: "lazy" } as const;

/** Returns a home with the cached tools of these servers, because an earlier host has run them. */
async function makeHomeWithCache(servers: object = { s: lazy }) {
  const home = await makeTestHome();
  const first = await home.host({ servers: servers as never });
  await first.ready();
  await first.close();
  return home;
}

describe("a lazy server", () => {
  it("starts with the first host, because its tools are not cached yet", async () => {
    const { host: open } = await makeTestHome();
    const host = await open({ servers: { s: lazy } });
    expect(await host.ready()).toEqual({ ready: ["s"], errors: {} });
    expect(toolNamesOf(host, "s")).toContain("echo");
  });

  it("is listed by the next host without starting, and starts with the first call", async () => {
    const { host: open } = await makeHomeWithCache();
    const host = await open({ servers: { s: lazy } });
    expect(await host.ready()).toEqual({ ready: [], errors: {} });
    expect(toolNamesOf(host, "s")).toContain("echo");
    expect(host.tools.definitions("openai").length).toBeGreaterThan(5);
    expect(await host.tools.search("echo")).toMatchObject([{ tool: { name: "mcp__s__echo" } }]);
    expect(host.status()).toMatchObject([{ state: "idle", tools: expect.any(Number) as number }]);
    expect(host.servers.detail("s").offered.map(({ name }) => name)).toContain("echo");
    expect(pidOf(host, "s")).toBeUndefined();
    expect(await eventsOf(host, "server.changed")).toEqual([]);
    expect(await host.tools.call("mcp__s__echo", { text: "hi" })).toMatchObject({ content: [{ text: "hi" }] });
    expect(isAlive(pidOf(host, "s")!)).toBe(true);
  });

  it("can be connected before its first use", async () => {
    const { host: open } = await makeHomeWithCache();
    const host = await open({ servers: { s: lazy } });
    expect(await host.servers.connect("s")).toMatchObject({ state: "ready" });
  });

  it("does not delay other servers if its secret never arrives", async () => {
    const { host: open } = await makeTestHome();
    const waiting = { ...lazy, env: { KEY: { $secret: "key" } } };
    const secrets = () => new Promise<never>(() => {});
    const host = await open({ servers: { waiting, other: scriptedLegacy("--pages=2"), s: lazy }, secrets });
    for (const id of ["other", "s"]) {
      await waitForEvent(host, "server.changed", ({ server, state }) => server === id && state === "ready");
    }
    expect(host.status()[0]).toMatchObject({ id: "waiting", state: "connecting" });
  });

  it("can be a published server such as server-memory", async () => {
    const memory = { ...memoryStdio(), start: "lazy" } as const;
    const { host: open } = await makeHomeWithCache({ memory });
    const host = await open({ servers: { memory } });
    await host.ready();
    expect(pidOf(host, "memory")).toBeUndefined();
    expect(toolNamesOf(host, "memory")).toContain("read_graph");
  });

  it("is not started by the next host if it has resources but no tools", async () => {
    const server = await startScriptedHttp((request, response) => {
      const { id, method } = JSON.parse(request.body || "{}") as { id?: number; method?: string };
      const capabilities = { resources: {} };
      const results: { [method: string]: object } = {
        initialize: { protocolVersion: "2025-11-25", capabilities, serverInfo: { name: "r", version: "1" } },
        "resources/list": { resources: [{ uri: "x://a", name: "a" }] },
      };
      if (id === undefined) return void response.writeHead(202).end();
      const result = results[method!];
      const body = result ? { result } : { error: { code: -32601, message: "no such method" } };
      response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify({ jsonrpc: "2.0", id, ...body }));
    });
    onTestFinished(() => server.close());
    const servers = { r: { url: server.url, start: "lazy" } } as const;
    const home = await makeTestHome();
    const first = await home.host({ servers });
    await first.resources.list();
    await first.close();
    const requestsBefore = server.requests.length;
    const host = await home.host({ servers });
    await host.ready();
    expect(await host.resources.list()).toMatchObject({ resources: [{ server: "r", uri: "x://a" }], errors: {} });
    expect(host.status()).toMatchObject([{ state: "idle" }]);
    expect(server.requests.length).toBe(requestsBefore);
  });

  it("starts after its definition has changed", async () => {
    const { host: open } = await makeHomeWithCache();
    const host = await open({ servers: { s: { ...scriptedLegacy("--pages=2"), start: "lazy" } } });
    expect(await host.ready()).toMatchObject({ ready: ["s"] });
  });

  it.each(["", "{", '{"version":1}', "null", "\0\0\0"])("starts if its cached catalog is damaged: %j", async (text) => {
    const { host: open, stateFolder } = await makeHomeWithCache();
    const folder = join(stateFolder, "catalog");
    for (const name of await readdir(folder)) await writeFile(join(folder, name), text);
    const host = await open({ servers: { s: lazy } });
    expect(await host.ready()).toEqual({ ready: ["s"], errors: {} });
    await host.close();
    const [name = ""] = await readdir(folder);
    expect(await readFile(join(folder, name), "utf8")).toContain('"echo"');
  });

  it("is listed although its program is now broken, and a call reports the crash", async () => {
    const home = await makeHomeWithCache();
    const script = join(home.cwd, "server.mjs");
    const servers = { s: { command: process.execPath, args: [script], start: "lazy" } } as const;
    await writeFile(script, `import ${JSON.stringify(scriptedLegacy().args[0])};`);
    const first = await home.host({ servers });
    await first.ready();
    await first.close();
    await writeFile(script, "process.exit(9);");
    const host = await home.host({ servers });
    expect(await host.ready()).toEqual({ ready: [], errors: {} });
    await expect(host.tools.call("mcp__s__echo", { text: "hi" })).rejects.toMatchObject({ code: "SERVER_CRASHED" });
    expect(toolNamesOf(host, "s")).toEqual([]);
  });
});

describe("a server that stops when idle", () => {
  it("keeps its tools listed, and restarts with a call", async () => {
    const { host: open } = await makeTestHome();
    const host = await open({ servers: { s: { ...scriptedLegacy(), idle_stop_ms: 50 } } });
    await host.ready();
    const pid = pidOf(host, "s")!;
    await waitForEvent(host, "server.changed", ({ state }) => state === "idle");
    await waitUntilDead(pid, 10_000);
    expect(toolNamesOf(host, "s")).toContain("echo");
    expect(await host.tools.call("mcp__s__echo", { text: "hi" })).toMatchObject({ content: [{ text: "hi" }] });
    expect(pidOf(host, "s")).not.toBe(pid);
  });

  it("can also be lazy: it starts with a call and then stops again", async () => {
    const servers = { s: { ...lazy, idle_stop_ms: 50 } };
    const { host: open } = await makeHomeWithCache(servers);
    const host = await open({ servers });
    await host.ready();
    expect(pidOf(host, "s")).toBeUndefined();
    await host.tools.call("s:echo", { text: "hi" });
    await waitForEvent(host, "server.changed", ({ state }) => state === "idle");
    expect(toolNamesOf(host, "s")).toContain("echo");
  });
});

it(
  "a host stores the era of a server, so the next host does not detect it again",
  { meta: { covers: ["R2.117", "R2.118"] } },
  async () => {
    const server = await startScriptedHttp((request, response) => {
      const { id, method } = JSON.parse(request.body || "{}") as { id?: number; method?: string };
      const handshake = { protocolVersion: "2025-11-25", capabilities: {}, serverInfo: { name: "old", version: "1" } };
      if (id === undefined) return void response.writeHead(202).end();
      const body =
        method === "initialize" ? { result: handshake } : { error: { code: -32601, message: "no such method" } };
      response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify({ jsonrpc: "2.0", id, ...body }));
    });
    onTestFinished(() => server.close());
    const receivedRequests = () =>
      server.requests.flatMap(({ body }) => (body ? [JSON.parse(body) as ReceivedRequest] : []));
    const home = await makeHomeWithCache({ old: { url: server.url } });
    expect(receivedRequests()[0]).toMatchObject({ method: "server/discover" });
    const before = receivedRequests().length;
    const host = await home.host({ servers: { old: { url: server.url } } });
    expect(await host.ready()).toMatchObject({ ready: ["old"] });
    expect(host.status()).toMatchObject([{ era: "legacy" }]);
    const clientInfo = { name: "plugboard", version: VERSION };
    expect(receivedRequests()[before]).toMatchObject({
      method: "initialize",
      params: { protocolVersion: "2025-11-25", clientInfo },
    });
  },
);

it("a host connects in the legacy era to a server that was modern before", async () => {
  const home = await makeTestHome();
  const script = join(home.cwd, "server.mjs");
  const servers = { s: { command: process.execPath, args: [script] } };
  const eraOf = async (server: { readonly args: readonly string[] }) => {
    const [file, ...args] = server.args;
    const argv = `process.argv.splice(2, Infinity, ...${JSON.stringify(args)});`;
    await writeFile(script, `${argv} await import(${JSON.stringify(file)});`);
    const host = await home.host({ servers });
    await host.ready();
    const [status] = host.status();
    await host.close();
    return status?.era;
  };
  expect(await eraOf(modernStdio())).toBe("modern");
  expect(await eraOf(scriptedLegacy())).toBe("legacy");
});
