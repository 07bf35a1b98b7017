/** Tests tool calls with questions through the gateway, for every kind of client and server. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sendToolCall } from "./helpers/raw-modern-client.ts";
import { startFourServers } from "./helpers/four-servers.ts";
import { clientKinds, openClient } from "./helpers/official-clients.ts";
import type { ElicitationReply } from "./helpers/official-clients.ts";
import type { RunningHost } from "../../daemon/test/helpers/running-host.ts";

let host: RunningHost;
beforeAll(async () => {
  host = await startFourServers();
});
afterAll(() => host.close());

it("a gateway client can't call the host's own tools", async () => {
  const tools = await host.daemon.workspace.tools.list();
  expect(tools.map(({ tool }) => tool)).toContain("mcp_resource_read");
  for (const name of ["mcp_resource_read", "native:mcp_resource_read"]) {
    const { error } = await sendToolCall(host, name, { server: "modern_stdio", uri: "note://welcome" });
    expect(error?.message).toContain(`There is no tool "${name}"`);
  }
});

const legacy = { tool: "trigger-elicitation-request", question: "Please provide inputs" };
const modern = { tool: "ask_name", question: "Who are you?" };
const pairs = clientKinds.flatMap((front) => [
  { front, server: "legacy_stdio", ...legacy },
  { front, server: "legacy_http", ...legacy },
  { front, server: "modern_stdio", ...modern },
  { front, server: "modern_http", ...modern },
]);

describe.each(pairs)(
  "a $front client with the server $server",
  { meta: { covers: ["R0.2"] } },
  ({ front: kind, server, tool, question }) => {
    it.each<[ElicitationReply, RegExp]>([
      [{ action: "accept", content: { name: "Ann" } }, /Name: Ann|hello Ann/],
      [{ action: "decline" }, /declined/],
    ])("sends the answer %j to the server, and gets the result", async (answer, expectedText) => {
      const asked: string[] = [];
      const front = await openClient(kind, host, (message) => {
        asked.push(message);
        return answer;
      });
      try {
        expect(await front.call(`${server}__${tool}`)).toMatch(expectedText);
        expect(asked).toEqual([expect.stringContaining(question)]);
      } finally {
        await front.close();
      }
    });
  },
);

describe.each(clientKinds)("a %s client of the gateway", (kind) => {
  it("lists the tools of all servers under unique names", { meta: { covers: ["R3.2", "R3.6", "R3.64"] } }, async () => {
    const front = await openClient(kind, host, () => ({ action: "cancel" }));
    const names = await front.listTools();
    await front.close();
    expect(new Set(names).size).toBe(names.length);
    for (const server of ["legacy_stdio", "legacy_http"]) expect(names).toContain(`${server}__echo`);
    for (const server of ["modern_stdio", "modern_http"]) expect(names).toContain(`${server}__ask_twice`);
  });

  it("answers several rounds of questions in one call", async () => {
    const front = await openClient(kind, host, (message) => {
      const field = message.replace("Please give ", "");
      return { action: "accept", content: { [field]: `${field}!` } };
    });
    expect(await front.call("modern_http__ask_twice")).toBe("first! second! (requestState intact)");
    await front.close();
  });
});

it(
  "the gateway sends each client its own results, even if clients use the same request ids",
  { meta: { covers: ["S19"] } },
  async () => {
    const fronts = await Promise.all(
      ["Ann", "Bob", "Cyd", "Dan"].map((name, index) =>
        openClient(clientKinds[index]!, host, () => ({ action: "accept", content: { name } })),
      ),
    );
    for (const server of ["modern_stdio", "modern_http", "legacy_http"]) {
      const tool = server.startsWith("legacy") ? legacy.tool : modern.tool;
      const results = await Promise.all(fronts.map((front) => front.call(`${server}__${tool}`)));
      for (const [index, name] of ["Ann", "Bob", "Cyd", "Dan"].entries()) expect(results[index]).toContain(name);
    }
    await Promise.all(fronts.map((front) => front.close()));
  },
);

it("the gateway runs the calls of different clients one after another if the server's questions name no call", async () => {
  const open = (name: string) => openClient("legacy over HTTP", host, () => ({ action: "accept", content: { name } }));
  const [ann, bob] = await Promise.all([open("Ann"), open("Bob")]);
  const tool = "legacy_stdio__trigger-elicitation-request";
  // Calls are serialized only after the server has asked its first question.
  await ann.call(tool);
  const results = await Promise.all([ann.call(tool), bob.call(tool), ann.call(tool), bob.call(tool)]);
  for (const [index, name] of ["Ann", "Bob", "Ann", "Bob"].entries()) expect(results[index]).toContain(`Name: ${name}`);
  await Promise.all([ann.close(), bob.close()]);
});
