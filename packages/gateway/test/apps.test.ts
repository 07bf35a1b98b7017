/** Tests MCP Apps behind the gateway: which tools a client and a model see, and what is declared to servers. */
import { appsStdio } from "@plugboard/testkit/start-server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startRunningHost } from "../../daemon/test/helpers/running-host.ts";
import type { RunningHost } from "../../daemon/test/helpers/running-host.ts";
import { sendRequest, sendToolCall } from "./helpers/raw-modern-client.ts";
import { startScriptedModern } from "./helpers/scripted-modern.ts";
import type { ScriptedModern } from "./helpers/scripted-modern.ts";

const UI = "io.modelcontextprotocol/ui";
const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
const settings = { mimeTypes: ["text/html;profile=mcp-app"] };
const withApps = { capabilities: { extensions: { [UI]: settings } } };

let modern: ScriptedModern;
let host: RunningHost;
beforeAll(async () => {
  modern = await startScriptedModern(
    { tools: {} },
    {
      "tools/list": () => ({ tools: [{ name: "show", inputSchema: { type: "object" } }] }),
      "tools/call": () => ({ content: [] }),
    },
  );
  host = await startRunningHost({ apps: appsStdio(), modern: { url: modern.url } });
});
afterAll(async () => {
  await host.close();
  await modern.close();
});

const declaredIn = (method: string) => {
  const meta = modern.paramsOf(method).at(-1)?.["_meta"] as unknown;
  return (meta as { readonly [CAPABILITIES]: { readonly extensions?: object } })[CAPABILITIES].extensions;
};

describe("a tool that is only for Apps", () => {
  it("is listed for a client that shows Apps, and for no other client", async () => {
    const namesFor = async (options: object) => {
      const { result } = await sendRequest(host, "tools/list", options);
      return (result as { tools: { name: string }[] }).tools.map(({ name }) => name);
    };
    expect(await namesFor(withApps)).toContain("apps__count");
    expect(await namesFor({})).not.toContain("apps__count");
    expect(await namesFor({})).toContain("apps__show");
  });

  it("is offered to no model", async () => {
    const definitions = JSON.stringify(await host.daemon.workspace.tools.definitions("anthropic"));
    expect(definitions).toContain("mcp__apps__show");
    expect(definitions).toContain("mcp__apps__plan");
    expect(definitions).not.toContain("mcp__apps__count");
    const count = (await host.daemon.workspace.tools.list()).find(({ tool }) => tool === "count");
    expect(count?.ui).toEqual({ forModel: false, forApps: true });
  });
});

describe("the support for Apps", () => {
  it("is declared to a server for the host, and for a client only if the client supports Apps", async () => {
    expect(declaredIn("tools/list")).toMatchObject({ [UI]: settings });
    await host.daemon.workspace.tools.call("modern:show");
    expect(declaredIn("tools/call")).toMatchObject({ [UI]: settings });
    await sendToolCall(host, "modern__show");
    expect(declaredIn("tools/call") ?? {}).not.toHaveProperty([UI]);
    await sendToolCall(host, "modern__show", {}, withApps);
    expect(declaredIn("tools/call")).toMatchObject({ [UI]: settings });
  });
});
