/** Tests how the tools of a host follow its servers and its program. */
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { CreateHostOptions, EmbeddedHost, NativeTool } from "@plugboard/host";
import { filesystemStdio } from "@plugboard/testkit/third-party-servers";
import { modernStdio, scriptedLegacy } from "@plugboard/testkit/start-server";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { embeddedHost, waitForEvent, makeTestHome, toolNamesOf } from "../helpers/embedded-host.ts";

async function ready(options: CreateHostOptions): Promise<EmbeddedHost> {
  const host = await embeddedHost(options);
  await host.ready();
  return host;
}

const namesOf = (host: EmbeddedHost) =>
  host.tools.list().flatMap(({ name, server }) => (server === "native" ? [] : [name]));

/** Returns a server with one tool of this name. */
function offering(tool: string) {
  const instance = new McpServer({ name: "one-tool", version: "2.0.0" });
  const config = { description: "Says it", inputSchema: { text: z.string() } };
  instance.registerTool(tool, config, ({ text }) => ({ content: [{ type: "text", text }] }));
  return { type: "sdk", name: crypto.randomUUID(), instance } as const;
}

const now: NativeTool = {
  name: "now",
  description: "The time",
  inputSchema: { type: "object" },
  run: () => ({ content: [{ type: "text", text: "noon" }] }),
};

describe("tools of a host", () => {
  describe("list of tools", () => {
    it(
      "has server, names, description and schema of each tool",
      { meta: { covers: ["R0.31", "R2.28", "R2.129", "R3.29", "R3.30", "R0.80"] } },
      async () => {
        const host = await ready({ servers: { say: offering("it") } });
        const [tool] = host.tools.list().filter(({ server }) => server === "say");
        expect(tool).toMatchObject({
          name: "mcp__say__it",
          server: "say",
          tool: "it",
          description: expect.stringContaining("Says it") as string,
          inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
        });
      },
    );

    it("has the origin of each tool", { meta: { covers: ["R2.127"] } }, async () => {
      const host = await ready({ servers: { say: offering("it") } });
      expect(host.tools.definitions("anthropic").find(({ name }) => name === "mcp__say__it")?.description).toMatch(
        /\bsay\b.*\bit\b|\bit\b.*\bsay\b/s,
      );
    });

    it("is updated when a server reports changed tools", { meta: { covers: ["R2.163", "R4.19"] } }, async () => {
      const host = await ready({ servers: { m: modernStdio() } });
      const before = toolNamesOf(host, "m");
      await host.tools.call("m:add_tool", { name: "juggle" });
      await waitForEvent(host, "catalog.changed", ({ tools }) => tools === before.length + 1);
      expect(toolNamesOf(host, "m").filter((tool) => !before.includes(tool))).toEqual(["juggle"]);
      expect(namesOf(host)).toContain("mcp__m__juggle");
      expect(await host.tools.search("juggle")).toMatchObject([{ tool: { tool: "juggle" } }]);
    });

    it(
      "omits the tools of a crashed server until it is restarted",
      { meta: { covers: ["R3.34", "R4.19", "R4.20"] } },
      async () => {
        const host = await ready({ servers: { s: scriptedLegacy() }, limits: { firstRetryMs: 100 } });
        const before = namesOf(host);
        await host.tools.call("s:crash", {}).catch(() => {});
        expect(namesOf(host)).toEqual([]);
        const lost = await waitForEvent(host, "server.changed", ({ error }) => error !== undefined);
        await waitForEvent(host, "server.changed", ({ state }) => state === "ready", lost.seq);
        expect(namesOf(host)).toEqual(before);
      },
    );

    it("is in config order, whichever server was ready first", async () => {
      const host = await ready({ servers: { b: scriptedLegacy("--slow-start=300"), a: scriptedLegacy() } });
      expect([...new Set(host.tools.list().map(({ server }) => server))].filter((id) => id !== "native")).toEqual([
        "b",
        "a",
      ]);
    });
  });

  describe("tool", () => {
    it("is not offered if its server's definition excludes it", async () => {
      const { cwd, host: open } = await makeTestHome();
      const host = await open({
        servers: {
          files: { ...filesystemStdio(cwd), tools: { include: ["*file*"], exclude: ["write_*", "edit_file"] } },
        },
      });
      await host.ready();
      expect(toolNamesOf(host, "files")).toContain("read_text_file");
      expect(toolNamesOf(host, "files").filter((tool) => /write|edit|directory/.test(tool))).toEqual([]);
      await expect(host.tools.call("files:write_file", { path: "x", content: "" })).rejects.toMatchObject({
        code: "TOOL_OFF",
      });
    });

    it.each<[string, string[], string[]]>([
      ["as server:tool", ["s:crash"], ["crash"]],
      ["by a pattern", ["s:ask*", "*:hol*"], ["ask", "ask_two", "ask_sampling", "hold"]],
      ["by a pattern of servers", ["*s:echo"], ["echo"]],
    ])("is not offered if the program excludes it %s", { meta: { covers: ["R0.35"] } }, async (_, exclude, gone) => {
      const host = await ready({ servers: { s: scriptedLegacy() }, exclude });
      for (const tool of gone) {
        expect(toolNamesOf(host, "s")).not.toContain(tool);
        await expect(host.tools.call(`mcp__s__${tool}`, {})).rejects.toMatchObject({ code: "TOOL_OFF" });
      }
      expect(toolNamesOf(host, "s")).toContain("env");
    });

    it(
      "is not offered if the program excludes its server, also after a restart",
      { meta: { covers: ["R0.35"] } },
      async () => {
        const host = await ready({ servers: { s: scriptedLegacy(), t: modernStdio() }, exclude: ["s"] });
        expect(toolNamesOf(host, "s")).toEqual([]);
        await host.servers.set({ s: scriptedLegacy("--pages=2"), t: modernStdio() });
        expect(toolNamesOf(host, "s")).toEqual([]);
        expect(toolNamesOf(host, "t")).toContain("echo");
      },
    );

    it("is not offered while it is disabled, whatever its server does", async () => {
      const host = await ready({ servers: { s: scriptedLegacy() } });
      await host.tools.toggle("mcp__s__echo", false);
      expect(toolNamesOf(host, "s")).not.toContain("echo");
      await expect(host.tools.call("s:echo", { text: "hi" })).rejects.toMatchObject({ code: "TOOL_OFF" });
      await host.servers.reconnect("s");
      await host.servers.set({ s: scriptedLegacy("--pages=2") });
      expect(toolNamesOf(host, "s")).toContain("env");
      expect(toolNamesOf(host, "s")).not.toContain("echo");
      await host.tools.toggle({ server: "s", tool: "echo" }, true);
      expect(await host.tools.call("s:echo", { text: "hi" })).toMatchObject({ content: [{ text: "hi" }] });
      await expect(host.tools.toggle("s:nope", false)).rejects.toMatchObject({ code: "TOOL_NOT_FOUND" });
    });

    it("is not offered if a rule denies it for any arguments", async () => {
      const host = await ready({ servers: { s: scriptedLegacy() }, permissions: { deny: ["s:crash"], allow: ["*"] } });
      expect(toolNamesOf(host, "s")).not.toContain("crash");
      expect(await host.tools.search("crash")).toEqual([]);
    });
  });

  describe("naming", () => {
    it.each([
      ["server and tool", "{server}__{tool}", /^s__it$/],
      ["with mcp and single underscores", "mcp_{server}_{tool}", /^mcp_s_it$/],
      ["with a hash suffix", "mcp_{server}_{tool}_{hash8}", /^mcp_s_it_[0-9a-f]{8}$/],
      ["only the tool", "{tool}", /^it$/],
      ["the default", "mcp__{server}__{tool}", /^mcp__s__it$/],
    ])(
      "(%s) uses the form %s if the program or a file sets it",
      { meta: { covers: ["R0.39", "R4.13", "R3.62", "R2.124"] } },
      async (_, naming, form) => {
        const byProgram = await ready({ servers: { s: offering("it") }, naming });
        const { host: open, writeConfig } = await makeTestHome();
        await writeConfig({ naming });
        const byFile = await open({ servers: { s: offering("it") } });
        await byFile.ready();
        for (const host of [byProgram, byFile]) {
          const [name = ""] = namesOf(host);
          expect(name).toMatch(form);
          expect(await host.tools.call(name, { text: "hi" })).toMatchObject({ content: [{ text: "hi" }] });
        }
      },
    );

    it("uses the program's form if a file sets a different form", async () => {
      const { host: open, writeConfig } = await makeTestHome();
      await writeConfig({ naming: "{tool}" });
      const host = await open({ servers: { s: offering("it") }, naming: "{server}__{tool}" });
      await host.ready();
      expect(namesOf(host)).toEqual(["s__it"]);
    });

    it("rejects an invalid pattern for tool names", async () => {
      const host = await ready({ naming: "{server}.{tool}" });
      expect(host.config.problems()).toMatchObject([{ severity: "error" }]);
    });
  });

  describe("native tool", () => {
    it(
      "has its plain name, can be called, and is removed when unregistered",
      { meta: { covers: ["R3.61", "R4.15"] } },
      async () => {
        const host = await ready({ servers: { s: offering("it") } });
        const remove = host.tools.register(now);
        expect(host.tools.list().find(({ name }) => name === "now")).toMatchObject({ server: "native", tool: "now" });
        expect(await host.tools.call("now", {})).toMatchObject({ content: [{ text: "noon" }] });
        expect(await host.tools.call("native:now", {})).toMatchObject({ content: [{ text: "noon" }] });
        remove();
        expect(host.tools.list().map(({ name }) => name)).not.toContain("now");
        await expect(host.tools.call("now", {})).rejects.toMatchObject({ code: "TOOL_NOT_FOUND" });
      },
    );

    it(
      "keeps its name if a server has a tool of the same name",
      { meta: { covers: ["R2.128", "R4.15"] } },
      async () => {
        const host = await ready({ servers: { s: offering("now") }, naming: "{tool}" });
        expect(() => host.tools.register(now)).toThrow(expect.objectContaining({ code: "NAME_TAKEN" }));
        await host.servers.disconnect("s");
        host.tools.register(now);
        await host.servers.connect("s");
        expect(await host.tools.call("now", {})).toMatchObject({ content: [{ text: "noon" }] });
        expect(host.status()).toMatchObject([{ droppedTools: [{ tool: "now" }] }]);
        expect(host.servers.detail("s")).toMatchObject({ droppedTools: [{ tool: "now" }] });
        expect(await host.tools.call("s:now", { text: "hi" })).toMatchObject({ content: [{ text: "hi" }] });
      },
    );

    it("can be unregistered only once", async () => {
      const host = await ready({});
      const remove = host.tools.register(now);
      remove();
      host.tools.register({ ...now });
      remove();
      expect(host.tools.list().map(({ name }) => name)).toContain("now");
    });
  });

  describe("provider format", { meta: { covers: ["R3.33", "R4.4"] } }, () => {
    it.each([
      ["anthropic", { name: "mcp__s__it", input_schema: { type: "object" } }],
      ["openai", { type: "function", function: { name: "mcp__s__it", parameters: { type: "object" } } }],
      ["openai-responses", { type: "function", name: "mcp__s__it", parameters: { type: "object" } }],
      ["gemini", { name: "mcp__s__it", parametersJsonSchema: { type: "object" } }],
    ] as const)("lists the offered tools for %s", async (provider, form) => {
      const host = await ready({ servers: { s: offering("it") } });
      const found = host.tools.definitions(provider);
      const all: readonly object[] = "functionDeclarations" in found ? found.functionDeclarations : found;
      expect(all.filter((one) => JSON.stringify(one).includes("mcp__s__it"))).toMatchObject([form]);
      await host.tools.toggle("s:it", false);
      expect(JSON.stringify(host.tools.definitions(provider))).not.toContain("mcp__s__it");
    });
  });

  it("search finds the offered tools, the best match first", async () => {
    const { cwd, host: open } = await makeTestHome();
    const host = await open({ servers: { files: filesystemStdio(cwd), s: scriptedLegacy() } });
    await host.ready();
    const [best] = await host.tools.search("move or rename a file", { limit: 1 });
    expect(best).toMatchObject({ tool: { name: "mcp__files__move_file" } });
    await host.servers.toggle("files", false);
    expect((await host.tools.search("move or rename a file")).filter(({ tool }) => tool.server === "files")).toEqual(
      [],
    );
  });
});
