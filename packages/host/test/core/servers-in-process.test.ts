/** Tests in-process servers, which are server objects of the official SDKs. */
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { legacySdkServer, modernSdkServer, dualSdkServer } from "@plugboard/testkit/sdk-server-objects";
import { childrenOf } from "@plugboard/testkit/process-alive";
import { describe, expect, it } from "vitest";
import { embeddedHost, makeTestHome, toolNamesOf } from "../helpers/embedded-host.ts";

const sdk = (name: string, instance: { connect(transport: never): Promise<unknown> }) =>
  ({ type: "sdk", name, instance }) as const;

/** Creates a server whose only tool returns its name. */
function whoServer(name: string) {
  const server = new McpServer({ name, version: "1.0.0" });
  server.registerTool("who", {}, () => ({ content: [{ type: "text", text: name }] }));
  return server;
}

const textResult = (text: string) => ({ content: [{ type: "text", text }] });

describe("an in-process server", { meta: { covers: ["R1.6"] } }, () => {
  it.each([
    ["the 1.x SDK", () => legacySdkServer().server, "legacy"],
    ["the 2.x SDK", () => modernSdkServer().server, "legacy"],
    ["the 2.x SDK in both eras", dualSdkServer, "modern"],
  ])("of %s can be called, and starts no process", { meta: { covers: ["R1.5", "R1.6"] } }, async (_, make, era) => {
    const before = childrenOf(process.pid);
    const host = await embeddedHost({ servers: { calc: sdk("calculator", make()) } });
    expect(await host.ready()).toEqual({ ready: ["calc"], errors: {} });
    expect(host.status()).toMatchObject([{ id: "calc", transport: "sdk", source: "invocation", state: "ready", era }]);
    expect(host.servers.detail("calc").config).toEqual({ transport: "sdk", name: "calculator" });
    expect(await host.tools.call("mcp__calc__echo", { text: "hi" })).toMatchObject(textResult("hi"));
    expect(childrenOf(process.pid)).toEqual(before);
  });

  it("is separate from a server object with the same name in another host", async () => {
    const one = await embeddedHost({ servers: { w: sdk("who", whoServer("one")) } });
    const two = await embeddedHost({ servers: { w: sdk("who", whoServer("two")) } });
    await Promise.all([one.ready(), two.ready()]);
    expect(await one.tools.call("w:who", {})).toMatchObject(textResult("one"));
    expect(await two.tools.call("w:who", {})).toMatchObject(textResult("two"));
  });

  it("can be used again by the next host", async () => {
    const instance = whoServer("again");
    const first = await embeddedHost({ servers: { w: sdk("who", instance) } });
    await first.ready();
    await first.close();
    const second = await embeddedHost({ servers: { w: sdk("who", instance) } });
    expect(await second.ready()).toMatchObject({ ready: ["w"] });
    expect(await second.tools.call("w:who", {})).toMatchObject(textResult("again"));
  });

  it("can be reconnected", async () => {
    const host = await embeddedHost({ servers: { w: sdk("who", whoServer("again")) } });
    await host.ready();
    for (const _ of [1, 2, 3]) expect(await host.servers.reconnect("w")).toMatchObject({ state: "ready" });
    expect(await host.tools.call("w:who", {})).toMatchObject(textResult("again"));
  });

  it("can have the same name as another server object in the same host", async () => {
    const host = await embeddedHost({ servers: { a: sdk("who", whoServer("a")), b: sdk("who", whoServer("b")) } });
    await host.ready();
    expect(await host.tools.call("a:who", {})).toMatchObject(textResult("a"));
    expect(await host.tools.call("b:who", {})).toMatchObject(textResult("b"));
  });

  it("can be referenced by name in a config file", async () => {
    const { host: open, writeConfig } = await makeTestHome();
    await writeConfig({ servers: { mine: { type: "sdk", name: "who" }, lost: { type: "sdk", name: "nobody" } } });
    const host = await open({ servers: { w: sdk("who", whoServer("w")) } });
    expect(await host.ready()).toMatchObject({ errors: { lost: { code: "SERVER_INVALID" } } });
    expect(await host.tools.call("mine:who", {})).toMatchObject(textResult("w"));
  });
});

describe("servers.set with in-process servers", () => {
  it("replaces a server object with another of the same name", async () => {
    const host = await embeddedHost({ servers: { w: sdk("who", whoServer("old")) } });
    await host.ready();
    expect(await host.servers.set({ w: sdk("who", whoServer("new")) })).toMatchObject({ changed: ["w"], errors: {} });
    expect(await host.tools.call("w:who", {})).toMatchObject(textResult("new"));
    expect(host.status()).toMatchObject([{ serverInfo: { name: "new" } }]);
    await host.servers.set({ w: sdk("who", whoServer("newest")) });
    expect(await host.tools.call("w:who", {})).toMatchObject(textResult("newest"));
  });

  it("keeps the connection of an unchanged server object", async () => {
    const instance = whoServer("same");
    const host = await embeddedHost({ servers: { w: sdk("who", instance) } });
    await host.ready();
    const connectedAt = host.status()[0]?.lastConnectedAt;
    expect(await host.servers.set({ w: sdk("who", instance) })).toMatchObject({ changed: [] });
    expect(host.status()).toMatchObject([{ state: "ready", lastConnectedAt: connectedAt }]);
  });

  it("closes and removes a server that is no longer listed", async () => {
    const instance = whoServer("gone");
    const closed = new Promise<void>((resolve) => Object.assign(instance.server, { onclose: resolve }));
    const host = await embeddedHost({ servers: { w: sdk("who", instance) } });
    await host.ready();
    await host.servers.set({});
    expect(toolNamesOf(host, "w")).toEqual([]);
    await closed;
  });
});

it("an in-process server can change its tools", async () => {
  const instance = whoServer("grows");
  const host = await embeddedHost({ servers: { w: sdk("who", instance) } });
  await host.ready();
  expect(toolNamesOf(host, "w")).toEqual(["who"]);
  instance.registerTool("more", {}, () => ({ content: [] }));
  for await (const event of host.events(0)) if (event.type === "catalog.changed" && event.tools === 2) break;
  expect(toolNamesOf(host, "w")).toEqual(["who", "more"]);
});
