/** Tests the reference server for a knowledge graph, which it stores in a file. */
import { readFile } from "node:fs/promises";
import type { JsonObject } from "@plugboard/contracts";
import { memoryStdio } from "@plugboard/testkit/third-party-servers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { toolCallOp, openThirdParty, contentText } from "./open-third-party.ts";
import type { ThirdPartyServer } from "./open-third-party.ts";
import { tempFolder } from "./temp-folder.ts";
import type { TempFolder } from "./temp-folder.ts";

const GRAPH = "memory://knowledge-graph";
const ANN = { name: "Ann", entityType: "person", observations: ["likes tea"] };
const BOB = { name: "Bob", entityType: "person", observations: [] };
const KNOWS = { from: "Ann", to: "Bob", relationType: "knows" };

describe("server-memory", { meta: { covers: ["R0.1"] } }, () => {
  let folder: TempFolder;
  let memory: ThirdPartyServer;
  const open = () => {
    const env = { MEMORY_FILE_PATH: folder.in("memory.jsonl") };
    return openThirdParty({ transport: "stdio", ...memoryStdio(), cwd: folder.path, env });
  };
  beforeAll(async () => {
    folder = await tempFolder();
    memory = await open();
  });
  afterAll(async () => {
    await memory.close();
    await folder.remove();
  });

  const call = async (name: string, args: JsonObject = {}) =>
    (await memory.result(toolCallOp(name, args)))["structuredContent"];
  const read = () => memory.result({ method: "resources/read", params: { uri: GRAPH } });

  it("declares tools, and its graph as a resource", async () => {
    const { tools, dropped } = memory.connection.catalog;
    expect(dropped).toEqual([]);
    expect(tools.map(({ name }) => name).toSorted()).toEqual([
      "add_observations",
      "create_entities",
      "create_relations",
      "delete_entities",
      "delete_observations",
      "delete_relations",
      "open_nodes",
      "read_graph",
      "search_nodes",
    ]);
    expect(tools.every(({ outputSchema }) => outputSchema !== undefined)).toBe(true);
    const { resources } = await memory.result({ method: "resources/list", params: {} });
    expect(resources).toMatchObject([{ uri: GRAPH, mimeType: "application/json" }]);
    expect(await memory.result({ method: "resources/templates/list", params: {} })).toEqual({ resourceTemplates: [] });
  });

  it("stores entities on disk and serves them as a resource", async () => {
    expect(await call("create_entities", { entities: [ANN, BOB] })).toEqual({ entities: [ANN, BOB] });
    await call("create_relations", { relations: [KNOWS] });
    await call("add_observations", { observations: [{ entityName: "Bob", contents: ["likes coffee"] }] });

    const lines = (await readFile(folder.in("memory.jsonl"), "utf8")).trim().split("\n");
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      { type: "entity", ...ANN },
      { type: "entity", ...BOB, observations: ["likes coffee"] },
      { type: "relation", ...KNOWS },
    ]);
    const { contents } = await read();
    const [{ text }] = contents as [{ text: string }];
    expect(JSON.parse(text)).toEqual(await call("read_graph"));
  });

  it("reports updates of the subscribed graph", async () => {
    const seen: unknown[] = [];
    const listening = memory.session.listen({ uris: [GRAPH] }, (change) => seen.push(change));
    await call("create_entities", { entities: [{ ...BOB, name: "Eve" }] });
    await expect.poll(() => seen, { timeout: 10_000 }).toEqual([{ type: "resource", uri: GRAPH }]);

    listening.stop();
    await call("delete_entities", { entityNames: ["Eve"] });
    await read();
    expect(seen).toHaveLength(1);
  });

  it("finds stored entities", async () => {
    expect(await call("search_nodes", { query: "coffee" })).toMatchObject({ entities: [{ name: "Bob" }] });
    expect(await call("open_nodes", { names: ["Ann"] })).toEqual({ entities: [ANN], relations: [KNOWS] });
  });

  it("returns an error result for an unknown entity", async () => {
    const observations = [{ entityName: "Nobody", contents: ["is nobody"] }];
    const result = await memory.result(toolCallOp("add_observations", { observations }));
    expect(result["isError"]).toBe(true);
    expect(contentText(result)).toContain("Nobody not found");
  });

  it("keeps the graph after a restart, and deletes entities", async () => {
    const before = await call("read_graph");
    await memory.close();
    memory = await open();
    expect(await call("read_graph")).toEqual(before);

    await call("delete_relations", { relations: [KNOWS] });
    await call("delete_observations", { deletions: [{ entityName: "Bob", observations: ["likes coffee"] }] });
    await call("delete_entities", { entityNames: ["Ann"] });
    expect(await call("read_graph")).toEqual({ entities: [BOB], relations: [] });
  });
});
