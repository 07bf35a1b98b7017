/** Tests results that don't match their output schema, with official clients, which reject such results. */
import { join } from "node:path";
import { writeFile } from "node:fs/promises";
import { fileDrivenServer } from "@plugboard/testkit/start-server";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { startRunningHost, testEnv } from "../../daemon/test/helpers/running-host.ts";
import { clientKinds, openClient } from "./helpers/official-clients.ts";
import type { ClientKind, OfficialClient } from "./helpers/official-clients.ts";

const schema = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
const tools = ["wrong", "right"].map((name) => ({ name, inputSchema: { type: "object" }, outputSchema: schema }));
const results = {
  wrong: { content: [{ type: "text", text: "1 project" }], structuredContent: { n: "one" } },
  right: { content: [{ type: "text", text: "1" }], structuredContent: { n: 1 } },
};

async function start(entry: object = {}) {
  const { env, remove } = await testEnv();
  onTestFinished(remove);
  const script = join(env.HOME, "script.json");
  await writeFile(script, JSON.stringify({ tools, results }));
  const server = { ...fileDrivenServer(script, join(env.HOME, "journal")), ...entry };
  const host = await startRunningHost({ s: server });
  onTestFinished(host.close);
  const open = async (kind: ClientKind) => {
    const client = await openClient(kind, host, () => ({ action: "decline" }));
    onTestFinished(() => client.close());
    await client.listTools();
    return client;
  };
  return { host, open };
}

async function toolsWithSchema(client: OfficialClient): Promise<string[]> {
  const listed = (await client.request("tools/list", {})) as { tools: { name: string; outputSchema?: object }[] };
  return listed.tools.filter(({ outputSchema }) => outputSchema).map(({ name }) => name);
}

const changes = ({ notifications }: OfficialClient) =>
  notifications.filter(({ method }) => method === "notifications/tools/list_changed").length;

describe("a result that does not match its output schema", { meta: { covers: ["F57"] } }, () => {
  it.each(clientKinds)("reaches an official client (%s) after the tool is listed without the schema", async (kind) => {
    const { open } = await start();
    const first = await open(kind);
    expect(await toolsWithSchema(first)).toEqual(["s__wrong", "s__right"]);
    // The client knows the schema from its first list, so it rejects this result.
    await expect(first.call("s__wrong")).rejects.toThrow(/structured content/i);
    await first.listTools();
    expect(await first.call("s__wrong")).toBe("1 project");
    expect(await toolsWithSchema(first)).toEqual(["s__right"]);
    expect(await first.call("s__right")).toBe("1");

    const second = await open(kind);
    expect(await second.call("s__wrong")).toBe("1 project");
    const result = await second.request("tools/call", { name: "s__wrong", arguments: {} });
    expect(result).toMatchObject({
      content: results.wrong.content,
      _meta: { "plugboard/outputSchemaMismatch": '"n" must be a whole number, but is a string' },
    });
    expect(result).not.toHaveProperty("structuredContent");
  });

  it("causes one change of the tool list", async () => {
    const { open } = await start();
    const client = await open("legacy over stdio");
    const before = changes(client);
    await expect(client.call("s__wrong")).rejects.toThrow(/structured content/i);
    await vi.waitFor(() => expect(changes(client)).toBe(before + 1));
    await client.listTools();
    for (let count = 0; count < 3; count++) expect(await client.call("s__wrong")).toBe("1 project");
    expect(changes(client)).toBe(before + 1);
  });

  it("is an error for clients if the server has strict_results, and the tool keeps its schema", async () => {
    const { open } = await start({ strict_results: true });
    const client = await open("legacy over HTTP");
    await expect(client.call("s__wrong")).rejects.toThrow(/must be a whole number/);
    expect(await toolsWithSchema(client)).toEqual(["s__wrong", "s__right"]);
  });
});
