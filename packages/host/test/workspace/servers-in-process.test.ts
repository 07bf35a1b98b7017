/** Servers that are objects of the program, as the official SDKs make them. */
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { legacySdkServer, modernSdkServer, dualSdkServer } from "@plugboard/testkit/sdk-server-objects";
import { childrenOf } from "@plugboard/testkit/process-alive";
import { describe, expect, it } from "vitest";
import { embeddedHost, makeTestHome, toolNamesOf } from "../helpers/embedded-host.ts";

const sdk = (name: string, instance: { connect(transport: never): Promise<unknown> }) =>
  ({ type: "sdk", name, instance }) as const;

/** Its one tool says who it is. */
function called(name: string) {
  const server = new McpServer({ name, version: "1.0.0" });
  server.registerTool("who", {}, () => ({ content: [{ type: "text", text: name }] }));
  return server;
}

const said = (text: string) => ({ content: [{ type: "text", text }] });

describe("a server in the program's process", { meta: { covers: ["R1.6"] } }, () => {
  it.each([
    ["of the 1.x package", () => legacySdkServer().server, "legacy"],
    ["of the 2.x package", () => modernSdkServer().server, "legacy"],
    ["of the 2.x package, in both eras", dualSdkServer, "modern"],
  ])("%s is called like any other, and nothing is started for it", async (_, make, era) => {
    const before = childrenOf(process.pid);
    const host = await embeddedHost({ servers: { calc: sdk("calculator", make()) } });
    expect(await host.ready()).toEqual({ ready: ["calc"], errors: {} });
    expect(host.status()).toMatchObject([{ id: "calc", transport: "sdk", source: "invocation", state: "ready", era }]);
    expect(host.servers.detail("calc").config).toEqual({ transport: "sdk", name: "calculator" });
    expect(await host.tools.call("mcp__calc__echo", { text: "hi" })).toMatchObject(said("hi"));
    expect(childrenOf(process.pid)).toEqual(before);
  });

  it("is this host's alone: another has another under the same name", async () => {
    const one = await embeddedHost({ servers: { w: sdk("who", called("one")) } });
    const two = await embeddedHost({ servers: { w: sdk("who", called("two")) } });
    await Promise.all([one.ready(), two.ready()]);
    expect(await one.tools.call("w:who", {})).toMatchObject(said("one"));
    expect(await two.tools.call("w:who", {})).toMatchObject(said("two"));
  });

  it("can be served again by the next host", async () => {
    const instance = called("again");
    const first = await embeddedHost({ servers: { w: sdk("who", instance) } });
    await first.ready();
    await first.close();
    const second = await embeddedHost({ servers: { w: sdk("who", instance) } });
    expect(await second.ready()).toMatchObject({ ready: ["w"] });
    expect(await second.tools.call("w:who", {})).toMatchObject(said("again"));
  });

  it("can be reconnected", async () => {
    const host = await embeddedHost({ servers: { w: sdk("who", called("again")) } });
    await host.ready();
    for (const _ of [1, 2, 3]) expect(await host.servers.reconnect("w")).toMatchObject({ state: "ready" });
    expect(await host.tools.call("w:who", {})).toMatchObject(said("again"));
  });

  it("may have the name of another in the same host", async () => {
    const host = await embeddedHost({ servers: { a: sdk("who", called("a")), b: sdk("who", called("b")) } });
    await host.ready();
    expect(await host.tools.call("a:who", {})).toMatchObject(said("a"));
    expect(await host.tools.call("b:who", {})).toMatchObject(said("b"));
  });

  it("can be named by a file", async () => {
    const { host: open, writeConfig } = await makeTestHome();
    await writeConfig({ servers: { mine: { type: "sdk", name: "who" }, lost: { type: "sdk", name: "nobody" } } });
    const host = await open({ servers: { w: sdk("who", called("w")) } });
    expect(await host.ready()).toMatchObject({ errors: { lost: { code: "SERVER_INVALID" } } });
    expect(await host.tools.call("mine:who", {})).toMatchObject(said("w"));
  });
});

describe("setting all servers", () => {
  it("replaces an object by another of the same name", async () => {
    const host = await embeddedHost({ servers: { w: sdk("who", called("old")) } });
    await host.ready();
    expect(await host.servers.set({ w: sdk("who", called("new")) })).toMatchObject({ changed: ["w"], errors: {} });
    expect(await host.tools.call("w:who", {})).toMatchObject(said("new"));
    expect(host.status()).toMatchObject([{ serverInfo: { name: "new" } }]);
    await host.servers.set({ w: sdk("who", called("newest")) });
    expect(await host.tools.call("w:who", {})).toMatchObject(said("newest"));
  });

  it("leaves the same object alone", async () => {
    const instance = called("same");
    const host = await embeddedHost({ servers: { w: sdk("who", instance) } });
    await host.ready();
    const at = host.status()[0]?.lastConnectedAt;
    expect(await host.servers.set({ w: sdk("who", instance) })).toMatchObject({ changed: [] });
    expect(host.status()).toMatchObject([{ state: "ready", lastConnectedAt: at }]);
  });

  it("removes one", async () => {
    const instance = called("gone");
    const closed = new Promise<void>((resolve) => Object.assign(instance.server, { onclose: resolve }));
    const host = await embeddedHost({ servers: { w: sdk("who", instance) } });
    await host.ready();
    await host.servers.set({});
    expect(toolNamesOf(host, "w")).toEqual([]);
    await closed;
  });
});

it("tells when the tools of one change", async () => {
  const instance = called("grows");
  const host = await embeddedHost({ servers: { w: sdk("who", instance) } });
  await host.ready();
  expect(toolNamesOf(host, "w")).toEqual(["who"]);
  instance.registerTool("more", {}, () => ({ content: [] }));
  for await (const event of host.events(0)) if (event.type === "catalog.changed" && event.tools === 2) break;
  expect(toolNamesOf(host, "w")).toEqual(["who", "more"]);
});
