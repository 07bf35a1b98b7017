/** One tool call with a question in the middle through the gateway: every front against every server. */
import { everythingStdio, modernStdio, startEverythingHttp, startModernHttp } from "@plugboard/testkit/start-server";
import type { RunningServer } from "@plugboard/testkit/start-server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sendToolCall } from "./helpers/raw-modern-client.ts";
import { clientKinds, openClient } from "./helpers/official-clients.ts";
import type { ElicitationReply } from "./helpers/official-clients.ts";
import { startRunningHost } from "../../daemon/test/helpers/running-host.ts";
import type { RunningHost } from "../../daemon/test/helpers/running-host.ts";

let servers: RunningServer[];
let host: RunningHost;
beforeAll(async () => {
  const [everythingHttp, modernHttp] = await Promise.all([startEverythingHttp(), startModernHttp()]);
  servers = [everythingHttp, modernHttp];
  host = await startRunningHost({
    legacy_stdio: everythingStdio(),
    legacy_http: { url: everythingHttp.url },
    modern_stdio: modernStdio(),
    modern_http: { url: modernHttp.url },
  });
});
afterAll(async () => {
  await host.close();
  await Promise.all(servers.map((server) => server.close()));
});

it("a front can't call what it is not shown: the host's own tools", async () => {
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
  "a $front front and $server",
  { meta: { covers: ["R0.2"] } },
  ({ front: kind, server, tool, question }) => {
    it.each<[ElicitationReply, RegExp]>([
      [{ action: "accept", content: { name: "Ann" } }, /Name: Ann|hello Ann/],
      [{ action: "decline" }, /declined/],
    ])("takes the answer %j", async (answer, says) => {
      const asked: string[] = [];
      const front = await openClient(kind, host, (message) => {
        asked.push(message);
        return answer;
      });
      try {
        expect(await front.call(`mcp__${server}__${tool}`)).toMatch(says);
        expect(asked).toEqual([expect.stringContaining(question)]);
      } finally {
        await front.close();
      }
    });
  },
);

describe.each(clientKinds)("a %s front", (kind) => {
  it(
    "is offered the tools of every server under names of their own",
    { meta: { covers: ["R3.2", "R3.6", "R3.64"] } },
    async () => {
      const front = await openClient(kind, host, () => ({ action: "cancel" }));
      const names = await front.listTools();
      await front.close();
      expect(new Set(names).size).toBe(names.length);
      for (const server of ["legacy_stdio", "legacy_http"]) expect(names).toContain(`mcp__${server}__echo`);
      for (const server of ["modern_stdio", "modern_http"]) expect(names).toContain(`mcp__${server}__ask_twice`);
    },
  );

  it("goes through several rounds of questions", async () => {
    const front = await openClient(kind, host, (message) => {
      const field = message.replace("Please give ", "");
      return { action: "accept", content: { [field]: `${field}!` } };
    });
    expect(await front.call("mcp__modern_http__ask_twice")).toBe("first! second! (requestState intact)");
    await front.close();
  });
});

it("keeps two fronts apart that use the same ids at the same time", { meta: { covers: ["S19"] } }, async () => {
  const fronts = await Promise.all(
    ["Ann", "Bob", "Cyd", "Dan"].map((name, at) =>
      openClient(clientKinds[at]!, host, () => ({ action: "accept", content: { name } })),
    ),
  );
  for (const server of ["modern_stdio", "modern_http", "legacy_http"]) {
    const tool = server.startsWith("legacy") ? legacy.tool : modern.tool;
    const said = await Promise.all(fronts.map((front) => front.call(`mcp__${server}__${tool}`)));
    for (const [at, name] of ["Ann", "Bob", "Cyd", "Dan"].entries()) expect(said[at]).toContain(name);
  }
  await Promise.all(fronts.map((front) => front.close()));
});

it("gives a server that asks without saying for whom the calls of two fronts one after another", async () => {
  const open = (name: string) => openClient("legacy over HTTP", host, () => ({ action: "accept", content: { name } }));
  const [ann, bob] = await Promise.all([open("Ann"), open("Bob")]);
  const tool = "mcp__legacy_stdio__trigger-elicitation-request";
  // By now this server has asked; before it has, a question that comes while both call is nobody's.
  await ann.call(tool);
  const said = await Promise.all([ann.call(tool), bob.call(tool), ann.call(tool), bob.call(tool)]);
  for (const [at, name] of ["Ann", "Bob", "Ann", "Bob"].entries()) expect(said[at]).toContain(`Name: ${name}`);
  await Promise.all([ann.close(), bob.close()]);
});
