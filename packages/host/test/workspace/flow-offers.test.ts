/** Tests resources, prompts, questions, sampling and roots through a whole host. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { JsonObject, Question } from "@plugboard/contracts";
import type { EmbeddedHost, ModelPort } from "@plugboard/host";
import { filesystemStdio } from "@plugboard/testkit/third-party-servers";
import { everythingStdio, modernStdio, scriptedLegacy } from "@plugboard/testkit/start-server";
import { describe, expect, it } from "vitest";
import { waitForEvent } from "../helpers/embedded-host.ts";
import { answerInOrder, makeTestProject, resultText } from "../helpers/test-project.ts";

const ALL = { allow: ["*"] };
const NATIVE_TOOLS = ["mcp_resources_list", "mcp_resource_read", "mcp_prompts_list", "mcp_prompt_get"];
const offeredNativeTools = (host: EmbeddedHost) =>
  host.tools.list().flatMap(({ origin, name }) => (origin === "native" ? [name] : []));

describe("the native tools for resources and prompts", () => {
  it("are not offered to a program that does not ask for them", async () => {
    const testProject = await makeTestProject();
    const host = await testProject.open({ servers: { every: everythingStdio() }, permissions: ALL });
    await host.ready();
    expect(offeredNativeTools(host)).toEqual([]);
    expect(new Set(host.tools.list().map(({ server }) => server))).toEqual(new Set(["every"]));
    expect(host.tools.definitions("openai")).toHaveLength(host.tools.list().length);
    expect((await host.tools.search("read a resource of a server")).map(({ tool }) => tool.server)).not.toContain(
      "native",
    );
    expect(resultText(await host.tools.call("mcp_prompts_list"))).toContain("simple-prompt");
  });

  it("are offered to a program that has the tools for files and commands, unless it declines them", async () => {
    const testProject = await makeTestProject();
    const servers = { every: everythingStdio() };
    const host = await testProject.open({ servers, nativeTools: true });
    const without = await testProject.open({ servers, nativeTools: true, resourceTools: false });
    await Promise.all([host.ready(), without.ready()]);
    expect(offeredNativeTools(host)).toEqual(expect.arrayContaining(NATIVE_TOOLS));
    expect(offeredNativeTools(without)).toContain("read_file");
    expect(offeredNativeTools(without)).not.toContain("mcp_resource_read");
  });

  it("are offered only while a server has resources or prompts", { meta: { covers: ["R2.145"] } }, async () => {
    const testProject = await makeTestProject();
    const host = await testProject.open({ servers: { plain: scriptedLegacy() }, resourceTools: true });
    await host.ready();
    expect(offeredNativeTools(host)).toEqual([]);
    await host.servers.connect("every", { definition: everythingStdio() });
    expect(offeredNativeTools(host)).toEqual(NATIVE_TOOLS);
    expect(JSON.stringify(host.tools.definitions("openai"))).toContain("mcp_resource_read");
    await host.servers.set({ plain: scriptedLegacy() });
    expect(offeredNativeTools(host)).toEqual([]);
  });

  it(
    "list and read resources, and list and get prompts",
    { meta: { covers: ["R1.66", "R1.67", "R3.93"] } },
    async () => {
      const testProject = await makeTestProject();
      const servers = { every: everythingStdio(), modern: modernStdio() };
      const host = await testProject.open({ servers, permissions: { allow: ["every:*"] } });
      await host.ready();
      const call = async (name: string, args: JsonObject = {}) => resultText(await host.tools.call(name, args));
      const { resources } = JSON.parse(await call("mcp_resources_list", { server: "every" })) as {
        resources: { server: string; uri?: string; uriTemplate?: string }[];
      };
      expect(resources.length).toBeGreaterThan(1);
      expect(resources.every(({ server }) => server === "every")).toBe(true);
      expect(resources.some(({ uriTemplate }) => uriTemplate !== undefined)).toBe(true);
      const uri = resources.find((resource) => resource.uri !== undefined)!.uri!;
      expect(await call("mcp_resource_read", { server: "every", uri })).not.toBe("");
      expect(await call("mcp_prompts_list")).toMatch(/every.*modern|modern.*every/s);
      expect(await call("mcp_prompt_get", { server: "every", name: "simple-prompt" })).toContain("simple prompt");
      const missing = await host.tools.call("mcp_resource_read", { server: "every", uri: "demo://nothing" });
      expect(missing).toMatchObject({ isError: true });
    },
  );

  it("follow the permission rules", async () => {
    const testProject = await makeTestProject();
    const host = await testProject.open({
      servers: { every: everythingStdio() },
      resourceTools: true,
      permissions: { deny: ["native:mcp_resource_read"] },
    });
    await host.ready();
    expect(offeredNativeTools(host)).toEqual(NATIVE_TOOLS.filter((name) => name !== "mcp_resource_read"));
    const call = host.tools.call("mcp_resource_read", { server: "every", uri: "demo://x" });
    await expect(call).rejects.toMatchObject({ code: "TOOL_DENIED" });
  });
});

describe("an embedded host", () => {
  it(
    "lists and reads resources, gets prompts and completes their arguments",
    { meta: { covers: ["R1.35", "R1.36", "R2.162"] } },
    async () => {
      const testProject = await makeTestProject();
      const host = await testProject.open({ servers: { every: everythingStdio() } });
      const { resources, errors } = await host.resources.list({ server: "every" });
      expect(errors).toEqual({});
      const [first] = resources;
      expect(first).toMatchObject({ server: "every" });
      const [contents] = await host.resources.read("every", first!.uri);
      expect(contents).toMatchObject({ uri: first!.uri });
      expect((await host.resources.templates()).templates.length).toBeGreaterThan(0);
      const { prompts } = await host.prompts.list();
      expect(prompts.map(({ name }) => name)).toContain("completable-prompt");
      const filled = await host.prompts.get("every", "args-prompt", { city: "Ulm" });
      expect(JSON.stringify(filled.messages)).toContain("Ulm");
      const completed = await host.prompts.complete(
        "every",
        { type: "ref/prompt", name: "completable-prompt" },
        { name: "department", value: "E" },
      );
      expect(completed.values).toContain("Engineering");
      await expect(host.resources.read("nobody", "x:y")).rejects.toMatchObject({ code: "SERVER_UNKNOWN" });
    },
  );
});

describe("sampling", { meta: { covers: ["R3.94"] } }, () => {
  const model: ModelPort = (request) =>
    Promise.resolve({
      role: "assistant",
      model: "tale-1",
      content: { type: "text", text: `${JSON.stringify(request["maxTokens"])} words` },
    });
  const cases = [
    {
      name: "legacy",
      entry: everythingStdio(),
      tool: "trigger-sampling-request",
      args: { prompt: "hi", maxTokens: 7 },
    },
    { name: "modern", entry: modernStdio(), tool: "ask_model", args: { prompt: "hi" } },
  ];

  it.each(cases)("returns the model's text to a $name server after the user agrees", async ({ entry, tool, args }) => {
    const testProject = await makeTestProject();
    const { port, asked } = answerInOrder({ type: "sampling", decision: "yes" }, { type: "sampling", decision: "no" });
    const host = await testProject.open({
      servers: { s: { ...entry, sampling: true } },
      permissions: ALL,
      ports: { answer: port, model },
    });
    await host.ready();
    expect(resultText(await host.tools.call(`s:${tool}`, args))).toContain("words");
    expect(asked).toMatchObject([{ type: "sampling", server: "s", tool, request: { messages: [{ role: "user" }] } }]);
    const refused = await host.tools.call(`s:${tool}`, args).then(resultText, (error: Error) => error.message);
    expect(refused).not.toContain("words");
    expect(asked).toHaveLength(2);
  });

  it.each(cases)(
    "is not offered to a $name server whose definition does not allow it",
    async ({ entry, tool, args }) => {
      const testProject = await makeTestProject();
      const { port, asked } = answerInOrder();
      const host = await testProject.open({ servers: { s: entry }, permissions: ALL, ports: { answer: port, model } });
      await host.ready();
      const refused = await host.tools.call(`s:${tool}`, args).then(resultText, (error: Error) => error.message);
      expect(refused).not.toContain("words");
      expect(asked).toEqual([]);
    },
  );
});

describe("roots", () => {
  it("are the folders that the program provides, also after they change", async () => {
    const testProject = await makeTestProject();
    const [one, two] = [join(testProject.root, "one"), join(testProject.root, "two")];
    for (const folder of [one, two]) {
      await mkdir(folder);
      await writeFile(join(folder, "a.txt"), `in ${folder}`);
    }
    let folder = one;
    const roots = () => [{ uri: pathToFileURL(folder).href }];
    const host = await testProject.open({
      servers: { files: filesystemStdio(testProject.project) },
      permissions: ALL,
      ports: { roots },
    });
    await host.ready();
    const allowed = async () => resultText(await host.tools.call("files:list_allowed_directories", {}));
    const waitUntilAllowed = (wanted: string) => expect.poll(allowed, { timeout: 10_000 }).toContain(wanted);
    await waitUntilAllowed(one);
    expect(resultText(await host.tools.call("files:read_text_file", { path: join(one, "a.txt") }))).toBe(`in ${one}`);
    folder = two;
    await host.rootsChanged();
    await waitUntilAllowed(two);
    expect(resultText(await host.tools.call("files:read_text_file", { path: join(one, "a.txt") }))).toMatch(/denied/i);
  });

  it("are not sent to a server of the user's config", async () => {
    const testProject = await makeTestProject();
    const elsewhere = join(testProject.root, "elsewhere");
    await mkdir(elsewhere);
    await testProject.write("config/plugboard/config.json", {
      mcp: { servers: { files: filesystemStdio(elsewhere) }, permissions: ALL },
    });
    const host = await testProject.open();
    await host.ready();
    const allowedFolders = resultText(await host.tools.call("files:list_allowed_directories", {}));
    expect(allowedFolders).toContain(elsewhere);
    expect(allowedFolders).not.toContain(testProject.project);
  });
});

describe("a question during a call", () => {
  it("is only in the inbox of the caller", async () => {
    const testProject = await makeTestProject();
    const host = await testProject.open({ servers: { s: modernStdio() }, permissions: ALL });
    await host.ready();
    const [ann, bob] = [host.as("chat", { attended: true }), host.as("chat", { attended: true })];
    const spec = { cwd: testProject.project, servers: { s: modernStdio() }, permissions: ALL };
    const [anns, bobs] = [await ann.workspace(spec), await bob.workspace(spec)];
    const call = anns.tools.call("s:ask_name", {});
    const { question } = await waitForEvent(host, "question.asked");
    expect(await bobs.inbox.list()).toEqual([]);
    expect(await anns.inbox.list()).toMatchObject([{ id: question.id } satisfies Partial<Question>]);
    const answer = { type: "elicitation", action: "accept", content: { name: "Ann" } } as const;
    await expect(bobs.inbox.answer(question.id, answer)).rejects.toMatchObject({ code: "QUESTION_NOT_YOURS" });
    await expect(anns.inbox.answer(question.id, { ...answer, content: { name: 5 } })).rejects.toMatchObject({
      code: "ANSWER_INVALID",
    });
    await anns.inbox.answer(question.id, answer);
    expect(resultText(await call)).toContain("Ann");
  });
});
