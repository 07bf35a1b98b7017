/** Tests when the native tools ask for permission before they send text of a model to a server. */
import type { JsonObject, PermissionQuestion } from "@plugboard/contracts";
import { createHost } from "@plugboard/host";
import type { CreateHostOptions } from "@plugboard/host";
import { startModernHttp } from "@plugboard/testkit/start-server";
import type { RunningServer } from "@plugboard/testkit/start-server";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { answerInOrder, resultText } from "../helpers/test-project.ts";

const URI = "note://welcome";
const read = ["mcp_resource_read", { uri: URI }] as const;
const getPrompt = ["mcp_prompt_get", { name: "review", arguments: { language: "C" } }] as const;

let modern: RunningServer;
beforeAll(async () => void (modern = await startModernHttp()));
afterAll(() => modern.close());

async function open(answers: Parameters<typeof answerInOrder>, options: CreateHostOptions = {}) {
  const { port, asked } = answerInOrder(...answers);
  const servers = { a: { url: modern.url }, b: { url: modern.url, headers: { "X-B": "1" } } };
  const ports = answers.length > 0 ? { ports: { answer: port } } : {};
  const env = { PATH: process.env["PATH"] };
  const host = await createHost({ persist: false, env, servers, ...ports, ...options });
  onTestFinished(() => host.close());
  await host.ready();
  const call = ([tool, args]: readonly [string, JsonObject], server: string) =>
    host.tools.call(tool, { server, ...args }).then(resultText, ({ code }: { readonly code: string }) => code);
  return { host, call, questions: () => asked as PermissionQuestion[] };
}

const once = { type: "permission", decision: "once" } as const;
const always = { type: "permission", decision: "always" } as const;
const session = { type: "permission", decision: "session" } as const;
const no = { type: "permission", decision: "no" } as const;

describe.each([
  ["mcp_resource_read", read, "Welcome", `Resource of the server a:\n${URI}`, "resources/read"],
  ["mcp_prompt_get", getPrompt, "Review this C", 'Prompt of the server a:\nreview {"language":"C"}', "prompts/get"],
] as const)("%s", (tool, request, result, preview, method) => {
  it("asks if there is no rule, and the question names the server and shows what is sent", async () => {
    const { call, questions } = await open([once, no]);
    expect(await call(request, "a")).toContain(result);
    expect(questions()).toMatchObject([{ server: "native", tool, arguments: { server: "a", ...request[1] }, preview }]);
    expect(await call(request, "a")).toBe("TOOL_DENIED");
  });

  it("is denied if there is no rule and nobody can be asked", async () => {
    const { call } = await open([]);
    expect(await call(request, "a")).toBe("NOBODY_TO_ASK");
  });

  it.each([always, session])("stores the answer $decision for that server only", async (answer) => {
    const { host, call, questions } = await open([answer, no, no]);
    expect(await call(request, "a")).toContain(result);
    expect(await call(request, "a")).toContain(result);
    expect(questions()).toHaveLength(1);
    expect(await host.permissions.decisions()).toMatchObject([{ server: "a", tool: method }]);
    expect(await call(request, "b")).toBe("TOOL_DENIED");
    expect(questions()).toHaveLength(2);
    await host.servers.set({ a: { url: modern.url, headers: { "X-Other": "1" } } });
    expect(await call(request, "a")).toBe("TOOL_DENIED");
    expect(questions()).toHaveLength(3);
  });

  it("asks nobody about a server that is unknown, disabled or denied", async () => {
    const { host, call, questions } = await open([once], { permissions: { deny: ["b:*"] } });
    expect(await call(request, "b")).toBe("TOOL_DENIED");
    expect(await call(request, "c")).toBe("SERVER_UNKNOWN");
    await host.servers.toggle("a", false);
    expect(await call(request, "a")).toBe("SERVER_DISABLED");
    expect(questions()).toEqual([]);
  });

  it.each([
    ["all tools of the server", "a:*"],
    ["this native tool for the server", `native:${tool}(server=a)`],
  ])("runs if a rule allows %s, and asks about another server", async (_, allow) => {
    const { call } = await open([], { permissions: { allow: [allow] } });
    expect(await call(request, "a")).toContain(result);
    expect(await call(request, "b")).toBe("NOBODY_TO_ASK");
  });
});

it("the lists of resources and prompts run without a question", async () => {
  const { call } = await open([]);
  expect(await call(["mcp_resources_list", {}], "a")).toContain(URI);
  expect(await call(["mcp_prompts_list", {}], "a")).toContain("review");
});

it("a rule that denies a URI applies even if another rule allows all tools of the server", async () => {
  const permissions = { allow: ["a:*"], deny: [`native:mcp_resource_read(uri=${URI})`], ask: [] };
  const { call } = await open([], { permissions });
  expect(await call(read, "a")).toBe("TOOL_DENIED");
});
