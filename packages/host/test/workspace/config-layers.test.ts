/** Tests the effect of config layers and config keys in a running host. */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { ServerEntry } from "@plugboard/contracts";
import { scriptedLegacy, startScriptedHttp } from "@plugboard/testkit/start-server";
import { describe, expect, it, onTestFinished } from "vitest";
import { embeddedHost, makeTestHome, toolNamesOf } from "../helpers/embedded-host.ts";

const disabled = (command: string) => ({ command, enabled: false });
const trustEverything = { answer: () => Promise.resolve({ type: "trust", decision: "yes" } as const) };

async function write(file: string, servers: object): Promise<string> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, JSON.stringify({ mcp: { servers } }));
  return file;
}

/** Defines a server in each layer, and the server `all` in the user, the project and the local layer. */
async function makeLayers() {
  const home = await makeTestHome();
  const managedConfigPath = join(home.cwd, "..", "managed.json");
  await write(managedConfigPath, { managed: disabled("m") });
  await write(home.configFile, { all: disabled("u"), user: disabled("u") });
  await write(join(home.cwd, ".plugboard", "config.json"), { all: scriptedLegacy(), project: scriptedLegacy() });
  await write(join(home.cwd, ".plugboard", "config.local.json"), { all: scriptedLegacy(), local: scriptedLegacy() });
  return { home, options: { managedConfigPath, servers: { invocation: disabled("i") }, ports: trustEverything } };
}

it(
  "a host merges the servers of all config layers by id, and its status names the source of each",
  { meta: { covers: ["R1.14", "R1.16", "R1.17", "R1.18", "R1.20", "R2.91", "R2.92", "R2.94", "R3.22", "R3.23"] } },
  async () => {
    const { home, options } = await makeLayers();
    const host = await home.host(options);
    while (host.config.pending().length > 0) await host.config.reload();
    expect(Object.fromEntries(host.status().map(({ id, source }) => [id, source]))).toEqual({
      managed: "managed",
      user: "user",
      project: "project",
      local: "local",
      invocation: "invocation",
      all: "local",
    });
  },
);

it(
  "a server definition of the program or the command line replaces the definition in config files",
  { meta: { covers: ["R3.27"] } },
  async () => {
    const { home, options } = await makeLayers();
    const host = await home.host({ ...options, servers: { all: disabled("mine") } });
    expect(host.status().find(({ id }) => id === "all")).toMatchObject({ source: "invocation", target: "mine" });
  },
);

describe("a project's config file", () => {
  const project = (cwd: string, servers: object) => write(join(cwd, ".plugboard", "config.json"), servers);

  it("replaces a definition of the user", { meta: { covers: ["R2.52", "R2.93"] } }, async () => {
    const home = await makeTestHome();
    await home.writeConfig({ servers: { s: { command: "no-such-command" } } });
    await project(home.cwd, { s: scriptedLegacy() });
    const host = await home.host({ ports: trustEverything });
    while (host.config.pending().length > 0) await host.config.reload();
    expect(await host.servers.connect("s")).toMatchObject({ source: "project", state: "ready" });
  });

  it("can disable a server of the user", { meta: { covers: ["R2.54"] } }, async () => {
    const home = await makeTestHome();
    await home.writeConfig({ servers: { s: scriptedLegacy() } });
    await project(home.cwd, { s: { enabled: false } });
    const host = await home.host();
    expect(await host.ready()).toEqual({ ready: [], errors: {} });
    expect(host.status()).toMatchObject([{ id: "s", source: "user", enabled: false, state: "disabled" }]);
  });
});

describe("a server definition", () => {
  it(
    "limits the time that a server has to start with startup_timeout_sec",
    { meta: { covers: ["R0.57"] } },
    async () => {
      const slow = { ...scriptedLegacy("--never-start"), startup_timeout_sec: 0.2 } as ServerEntry;
      const host = await embeddedHost({ servers: { slow } });
      expect(await host.ready()).toMatchObject({
        errors: { slow: { code: "SERVER_NOT_RESPONDING", details: { afterMs: 200 } } },
      });
    },
  );

  it("limits the time of a call with tool_timeout_sec", { meta: { covers: ["R0.58"] } }, async () => {
    const host = await embeddedHost({ servers: { s: { ...scriptedLegacy(), tool_timeout_sec: 0.1 } as ServerEntry } });
    await host.ready();
    await expect(host.tools.call("s:hold", {})).rejects.toMatchObject({
      code: "REQUEST_TIMEOUT",
      details: { afterMs: 100 },
    });
  });

  it("hides tools with excluded_tools", { meta: { covers: ["R0.88"] } }, async () => {
    const excluding = { ...scriptedLegacy(), excluded_tools: ["crash", "hold"] } as ServerEntry;
    const host = await embeddedHost({ servers: { s: excluding } });
    await host.ready();
    expect(toolNamesOf(host, "s").filter((tool) => ["crash", "hold", "echo"].includes(tool))).toEqual(["echo"]);
  });

  it(
    "can name the header for an API key, whose value comes from the environment",
    { meta: { covers: ["R3.40", "R3.41", "R3.42", "R3.82"] } },
    async () => {
      const server = await startScriptedHttp((_, response) => void response.writeHead(404).end());
      onTestFinished(() => server.close());
      const home = await makeTestHome();
      const auth = { type: "api_key", headerName: "X-Door", apiKey: "${DOOR_KEY}" };
      await home.writeConfig({ servers: { api: { transport: "http", url: server.url, auth } } });
      const host = await home.host({ env: { ...home.env, DOOR_KEY: "open-sesame" } });
      expect((await host.ready()).errors).toHaveProperty("api");
      expect(new Set(server.requests.map(({ headers }) => headers["x-door"]))).toEqual(new Set(["open-sesame"]));
    },
  );

  it("makes the host send no credentials if its `auth` is `none`", { meta: { covers: ["R3.98"] } }, async () => {
    const server = await startScriptedHttp((_, response) => void response.writeHead(401).end());
    onTestFinished(() => server.close());
    const home = await makeTestHome();
    await home.writeConfig({ servers: { open: { transport: "http", url: server.url, auth: { type: "none" } } } });
    const host = await home.host();
    expect(host.config.problems()).toEqual([]);
    expect((await host.ready()).errors).toHaveProperty("open");
    expect(server.requests.length).toBeGreaterThan(0);
    for (const { headers } of server.requests) expect(headers).not.toHaveProperty("authorization");
  });

  it(
    "is invalid if it has `oauth` for a stdio server, which gets its secrets from `env`",
    { meta: { covers: ["R2.157"] } },
    async () => {
      const oauth = { ...scriptedLegacy(), oauth: { clientId: "c" } } as ServerEntry;
      const host = await embeddedHost({ servers: { oauth, s: { ...scriptedLegacy(), env: { THE_SECRET: "x" } } } });
      expect(await host.ready()).toMatchObject({
        ready: ["s"],
        errors: { oauth: { code: "SERVER_INVALID", message: expect.stringContaining('"env"') as string } },
      });
      expect(JSON.stringify(await host.tools.call("s:env", {}))).toContain("THE_SECRET");
    },
  );
});
