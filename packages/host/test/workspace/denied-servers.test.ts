/** Tests that resources and prompts of denied, hidden and disconnected servers are not accessible. */
import { isText } from "@plugboard/contracts";
import type { HostError } from "@plugboard/contracts";
import { createHost } from "@plugboard/host";
import type { CreateHostOptions } from "@plugboard/host";
import { startModernHttp } from "@plugboard/testkit/start-server";
import type { RunningServer } from "@plugboard/testkit/start-server";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";

const URI = "note://welcome";

let modern: RunningServer;
beforeAll(async () => void (modern = await startModernHttp()));
afterAll(() => modern.close());

async function open(options: CreateHostOptions = {}) {
  const servers = { a: { url: modern.url }, b: { url: modern.url, headers: { "X-B": "1" } } };
  const host = await createHost({ persist: false, env: { PATH: process.env["PATH"] }, servers, ...options });
  onTestFinished(() => host.close());
  await host.ready();
  const callNative = async (name: string, args = {}) => {
    try {
      const { content } = await host.tools.call(name, args);
      return content.map((block) => (isText(block) ? block.text : "")).join();
    } catch (thrown) {
      return (thrown as HostError).code;
    }
  };
  const listedServers = async () => {
    const listed = [
      ...(await host.resources.list()).resources,
      ...(await host.resources.templates()).templates,
      ...(await host.prompts.list()).prompts,
      ...(JSON.parse(await callNative("mcp_resources_list")) as { resources: { server: string }[] }).resources,
    ];
    return [...new Set(listed.map(({ server }) => server))];
  };
  const nativeCallsToB = () => [
    callNative("mcp_resource_read", { server: "b", uri: URI }),
    callNative("mcp_resources_list", { server: "b" }),
    callNative("mcp_prompts_list", { server: "b" }),
    callNative("mcp_prompt_get", { server: "b", name: "review", arguments: { language: "C" } }),
  ];
  const stateOfB = () => host.status().find(({ id }) => id === "b");
  return { host, nativeCallsToB, listedServers, stateOfB };
}

describe("a server that a rule denies completely", () => {
  it.each(["b:*", "b*:**"])("gives no access to its resources and prompts, with the rule %s", async (rule) => {
    const { host, nativeCallsToB, listedServers } = await open({ permissions: { deny: [rule] } });
    expect(await listedServers()).toEqual(["a"]);
    for (const text of await Promise.all(nativeCallsToB())) expect(text).toContain("TOOL_DENIED");
    const review = { type: "ref/prompt", name: "review" } as const;
    for (const [method, refused] of [
      ["resources/read", () => host.resources.read("b", URI)],
      ["resources/list", () => host.resources.list({ server: "b" })],
      ["prompts/get", () => host.prompts.get("b", "review", { language: "C" })],
      ["completion/complete", () => host.prompts.complete("b", review, { name: "language", value: "" })],
    ] as const) {
      const details = { server: "b", tool: method, by: `rule ${rule}` };
      await expect(refused()).rejects.toMatchObject({ code: "TOOL_DENIED", details });
    }
  });

  it("does not make the native tools for resources visible", async () => {
    const { host } = await open({ permissions: { deny: ["a:*", "b:*"] } });
    expect(host.tools.list()).toEqual([]);
  });
});

it("the resources of a server can be read if rules deny only some of its tools or calls", async () => {
  const { host } = await open({ permissions: { deny: ["b:e*", "b:*(path=/etc/*)"] } });
  expect(await host.resources.read("b", URI)).toHaveLength(1);
});

describe("a hidden server", () => {
  it("is not accessible to a model", async () => {
    const { host, nativeCallsToB, listedServers } = await open();
    await host.servers.toggle("b", false);
    expect(await listedServers()).toEqual(["a"]);
    for (const text of await Promise.all(nativeCallsToB())) expect(text).toContain("SERVER_DISABLED");
    await host.servers.toggle("b", true);
    expect(await listedServers()).toEqual(["a", "b"]);
  });
});

describe("a disconnected server", () => {
  it("is not restarted by a model or by a list of all servers, but by a request that names it", async () => {
    const { host, nativeCallsToB, listedServers, stateOfB } = await open();
    await host.servers.disconnect("b");
    expect(await listedServers()).toEqual(["a"]);
    for (const text of await Promise.all(nativeCallsToB())) expect(text).toContain("SERVER_DISABLED");
    expect(stateOfB()).toMatchObject({ state: "idle" });
    expect(await host.resources.read("b", URI)).toHaveLength(1);
    expect(await listedServers()).toEqual(["a", "b"]);
  });
});
