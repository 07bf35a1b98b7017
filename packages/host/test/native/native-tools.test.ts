/** Tests the host's own tools for resources and prompts. */
import { NATIVE_TOOLS } from "#native/native-tools.js";
import type { NativeToolSources } from "#native/native-tools.js";
import { HostError, isText } from "@plugboard/contracts";
import type { ContentBlock, JsonObject, ToolResult } from "@plugboard/contracts";
import { describe, expect, it } from "vitest";
import { ann, bob, resourcePromptTestServer, connectServers, sharedModernServer } from "../helpers/connect-servers.ts";
import type { ConnectServersOptions, TestServer } from "../helpers/connect-servers.ts";

const modern = sharedModernServer();

function nativeTools(sources: Omit<NativeToolSources, "readOutput">) {
  const tools = Object.values(NATIVE_TOOLS).filter(({ reads }) => reads !== "outputs");
  return tools.map(({ make }) => make({ ...sources, readOutput: () => Promise.reject(new Error("unused")) }));
}

/** Returns a function that runs a native tool for the caller Bob. */
function open(servers: { readonly [id: string]: TestServer }, options?: ConnectServersOptions) {
  const tools = nativeTools(connectServers(servers, options));
  return (name: string, args: JsonObject = {}, signal?: AbortSignal): Promise<ToolResult> | ToolResult => {
    const tool = tools.find((candidate) => candidate.name === name);
    if (!tool) throw new Error(`no tool ${name}`);
    return tool.run(args, { caller: bob, signal });
  };
}

const textOf = ({ content }: ToolResult) => content.map((block) => (isText(block) ? block.text : "")).join("\n");
const jsonOf = (result: ToolResult) => JSON.parse(textOf(result)) as ListPage;
interface ListPage {
  readonly resources: readonly { readonly uri: string; readonly description: string }[];
  readonly nextCursor?: string;
}
const contentsOf = (contents: JsonObject) => ({ contents: [contents] });
/** Returns empty resources with the URIs `x://0`, `x://1` and so on. */
const emptyResources = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`x://${index}`, contentsOf({ text: "" })]));

it("all native tools are read-only and have a description and a strict input schema", () => {
  const { resources, prompts } = connectServers({});
  const tools = nativeTools({ resources, prompts });
  const names = ["mcp_resources_list", "mcp_resource_read", "mcp_prompts_list", "mcp_prompt_get"];
  expect(tools.map(({ name }) => name)).toEqual(names);
  expect(Object.keys(NATIVE_TOOLS)).toEqual([...names, "read_output"]);
  for (const { annotations, inputSchema, description } of tools) {
    expect(annotations).toMatchObject({ readOnlyHint: true });
    expect(inputSchema).toMatchObject({ type: "object", additionalProperties: false });
    expect(description).not.toBe("");
  }
});

describe("mcp_resources_list", () => {
  it("lists resources, templates and the servers that could not be listed", async () => {
    const broken: TestServer = {
      target: { transport: "stdio", command: "/nonexistent/server", args: [], cwd: process.cwd(), env: {} },
    };
    const a = resourcePromptTestServer({
      resources: emptyResources(1),
      templates: [{ uriTemplate: "x://{id}" }],
    });
    const run = open({ a, broken });
    expect(jsonOf(await run("mcp_resources_list"))).toEqual({
      resources: [
        { server: "a", uri: "x://0", name: "0" },
        { server: "a", uriTemplate: "x://{id}", name: "x://{id}" },
      ],
      errors: { broken: expect.stringContaining("SERVER_SPAWN_FAILED") as string },
    });
  });

  it("returns pages, each with the cursor of the next one", async () => {
    const run = open({
      a: resourcePromptTestServer({ resources: emptyResources(250) }),
    });
    const uris: string[] = [];
    let [cursor, pages]: [string | undefined, number] = [undefined, 0];
    do {
      const page = jsonOf(await run("mcp_resources_list", cursor === undefined ? {} : { cursor }));
      uris.push(...page.resources.map(({ uri }) => uri));
      cursor = page.nextCursor;
      pages += 1;
    } while (cursor !== undefined && pages < 10);
    expect(pages).toBe(3);
    expect(uris).toEqual(Array.from({ length: 250 }, (_, index) => `x://${index}`));
  });

  it("limits the size of a page, and returns an item that exceeds the limit on a page of its own", async () => {
    const templates = Array.from({ length: 4 }, (_, index) => ({
      uriTemplate: `x://${index}/${"p".repeat(3000)}/{id}`,
      name: "n".repeat(index === 0 ? 60_000 : 20_000),
      description: "d".repeat(10_000),
    }));
    const run = open({ a: resourcePromptTestServer({ templates }) });
    const first = jsonOf(await run("mcp_resources_list"));
    expect(first).toMatchObject({ nextCursor: "1", total: 4 });
    const [firstItem] = first.resources;
    expect(firstItem?.description).toHaveLength(501);
    expect(jsonOf(await run("mcp_resources_list", { cursor: "1" }))).toMatchObject({ nextCursor: "2" });
  });

  it.each([
    ["an unknown server", { server: "none" }, "SERVER_UNKNOWN"],
    ["an invented cursor", { cursor: "next" }, "INVALID_ARGUMENTS"],
    ["a cursor past the end", { cursor: "7" }, "INVALID_ARGUMENTS"],
    ["an argument of the wrong type", { server: 7 }, "INVALID_ARGUMENTS"],
  ])("returns an error result for %s", async (_, args, code) => {
    const run = open({ a: resourcePromptTestServer({ resources: emptyResources(2) }) });
    const result = await run("mcp_resources_list", args);
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain(`${code}: `);
  });
});

describe("mcp_resource_read", () => {
  it("returns text contents as text", async () => {
    const run = open({ a: modern() });
    expect(await run("mcp_resource_read", { server: "a", uri: "note://welcome" })).toEqual({
      content: [{ type: "text", text: "Welcome to the modern fixture" }],
    });
  });

  it("describes binary contents, and passes them on as a resource", async () => {
    const blob = Buffer.from("eleven byte").toString("base64");
    const contents = { uri: "x://0", mimeType: "image/png", blob };
    const run = open({ a: resourcePromptTestServer({ resources: { "x://0": contentsOf(contents) } }) });
    expect(await run("mcp_resource_read", { server: "a", uri: "x://0" })).toEqual({
      content: [
        { type: "text", text: "[x://0: 11 bytes, image/png]" },
        { type: "resource", resource: contents },
      ],
    });
  });

  it("describes binary contents that are too large, and leaves out their bytes", async () => {
    const blob = "A".repeat(5 * 1024 * 1024);
    const run = open({ a: resourcePromptTestServer({ resources: { "x://0": contentsOf({ blob }) } }) });
    const result = await run("mcp_resource_read", { server: "a", uri: "x://0" });
    expect(result.content.every(({ type }) => type === "text")).toBe(true);
    expect(textOf(result)).toMatch(/3932160 bytes.*\n\[Left out/);
  });

  it("writes the URI before each part of a resource that has several parts", async () => {
    const contents = [
      { uri: "x://0/a", text: "one" },
      { uri: "x://0/b", text: "two" },
    ];
    const run = open({ a: resourcePromptTestServer({ resources: { "x://0": { contents } } }) });
    expect(textOf(await run("mcp_resource_read", { server: "a", uri: "x://0" }))).toBe(
      "[x://0/a]\none\n[x://0/b]\ntwo",
    );
  });

  it("splits a long text into pages without cutting or losing a character", async () => {
    const whole = `x${"🔌".repeat(45_000)}`;
    const run = open({ a: resourcePromptTestServer({ resources: { "x://0": contentsOf({ text: whole }) } }) });
    let [read, cursor, pages]: [string, string | undefined, number] = ["", undefined, 0];
    do {
      const { content } = await run("mcp_resource_read", { server: "a", uri: "x://0", ...(cursor && { cursor }) });
      const [page, more] = content as (ContentBlock & { text: string })[];
      // `encodeURIComponent` throws if the page starts or ends with half of a surrogate pair.
      encodeURIComponent(page?.text ?? "");
      expect(page?.text.length).toBeLessThanOrEqual(40_000);
      read += page?.text;
      cursor = /cursor "(.*)"/.exec(more?.text ?? "")?.[1];
      pages += 1;
    } while (cursor !== undefined && pages < 10);
    expect(pages).toBe(3);
    expect(read).toBe(whole);
  });

  it.each([
    ["an unknown server", { server: "none", uri: "x://0" }, "SERVER_UNKNOWN"],
    ["an unknown resource", { server: "a", uri: "x://none" }, "REQUEST_FAILED"],
    ["a missing URI", { server: "a" }, "INVALID_ARGUMENTS"],
    ["an invented cursor", { server: "a", uri: "x://0", cursor: "0:900" }, "INVALID_ARGUMENTS"],
  ])("returns an error result for %s", async (_, args, code) => {
    const run = open({ a: resourcePromptTestServer({ resources: { "x://0": contentsOf({ text: "short" }) } }) });
    const result = await run("mcp_resource_read", args);
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain(`${code}: `);
  });

  it("says that a resource is empty", async () => {
    const run = open({ a: resourcePromptTestServer({ resources: { "x://0": { contents: [] } } }) });
    expect(textOf(await run("mcp_resource_read", { server: "a", uri: "x://0" }))).toBe("The resource is empty.");
  });

  it("asks the caller of the tool if the server has a question", async () => {
    const owners: unknown[] = [];
    const run = open(
      { a: modern() },
      {
        answer: ({ owner }) => {
          owners.push(owner);
          return { type: "elicitation", action: "accept", content: { password: "sesame" } };
        },
      },
    );
    expect(textOf(await run("mcp_resource_read", { server: "a", uri: "locked://diary" }))).toContain("sesame");
    expect(owners).toEqual([bob]);
  });

  it("rejects with CANCELLED when the caller aborts", async () => {
    const run = open({ a: resourcePromptTestServer({ resources: { "x://0": () => new Promise(() => {}) } }) });
    const abort = new AbortController();
    const reading = run("mcp_resource_read", { server: "a", uri: "x://0" }, abort.signal);
    abort.abort();
    await expect(reading).rejects.toMatchObject({ code: "CANCELLED" });
  });

  it("rejects if the host itself fails, instead of returning the error as a result", async () => {
    const defect = new Error("boom");
    const [, read] = nativeTools({
      resources: { ...unused, read: () => Promise.reject(defect) },
      prompts: unused,
    });
    await expect(read!.run({ server: "a", uri: "x://0" }, { caller: ann })).rejects.toBe(defect);
  });
});

describe("mcp_prompts_list and mcp_prompt_get", () => {
  it("list the prompts with their arguments, and get a prompt with its arguments filled in", async () => {
    const run = open({ a: modern() });
    expect(jsonOf(await run("mcp_prompts_list", { server: "a" }))).toMatchObject({
      prompts: [
        { server: "a", name: "review", arguments: [{ name: "language", required: true }, { name: "tone" }] },
        {},
      ],
    });
    const filled = await run("mcp_prompt_get", { server: "a", name: "review", arguments: { language: "Rust" } });
    expect(filled).toEqual({ content: [{ type: "text", text: "[user] Review this Rust, and be kind." }] });
  });

  it("pass on messages that are not text", async () => {
    const image = { type: "image", data: "AAEC", mimeType: "image/png" };
    const picture = () => ({ messages: [{ role: "assistant", content: image }] });
    const run = open({ a: resourcePromptTestServer({ prompts: { picture } }) });
    const { content } = await run("mcp_prompt_get", { server: "a", name: "picture" });
    expect(content).toEqual([{ type: "text", text: "[assistant]" }, image]);
  });

  it.each([
    ["an unknown prompt", { server: "a", name: "none" }, "REQUEST_FAILED"],
    ["a missing argument", { server: "a", name: "review" }, "REQUEST_FAILED"],
    [
      "an argument that is not a string",
      { server: "a", name: "review", arguments: { language: 7 } },
      "INVALID_ARGUMENTS",
    ],
    ["a missing name", { server: "a" }, "INVALID_ARGUMENTS"],
  ])("return an error result for %s", async (_, args, code) => {
    const run = open({ a: modern() });
    const result = await run("mcp_prompt_get", args);
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain(`${code}: `);
  });
});

/** Methods that the test does not call. */
const unused = {
  list: () => Promise.reject(new HostError("HOST_CLOSED", {})),
  templates: () => Promise.reject(new HostError("HOST_CLOSED", {})),
  get: () => Promise.reject(new HostError("HOST_CLOSED", {})),
};
