import { EMPTY_DRAFT } from "#views/servers/edit/draft.js";
import { parseDefinition } from "#views/servers/edit/parse-definition.js";
import { suggestId } from "#views/servers/edit/suggest-id.js";
import { describe, expect, it } from "vitest";

const memory = { command: "npx", args: ["-y", "@modelcontextprotocol/server-memory"] };
const text = JSON.stringify(memory);

describe("parseDefinition", () => {
  it.each([
    `{"mcpServers": {"memory": ${text}}}`,
    `{"servers": {"memory": ${text}}}`,
    `{"mcp": {"servers": {"memory": ${text}}}}`,
    `{"memory": ${text}}`,
    `"memory": ${text},\n`,
  ])("takes the server and its id from %s", (pasted) => {
    expect(parseDefinition(pasted)).toEqual({ entry: memory, id: "memory" });
  });

  it("takes a definition without an id as it is", () => {
    expect(parseDefinition(text)).toEqual({ entry: memory });
    expect(parseDefinition('{"command": "x", "env": {"url": "y"}}')).toEqual({
      entry: { command: "x", env: { url: "y" } },
    });
  });

  it("names the ids if there are several servers, and says if there is no server", () => {
    expect(parseDefinition(`{"mcpServers": {"a": ${text}, "b": ${text}}}`)).toEqual({
      error: "There are 2 servers: a, b. Paste one of them: one is added at a time.",
    });
    expect(parseDefinition('{"mcpServers": {}}')).toEqual({ error: "There is no server in this text." });
    expect(parseDefinition('"memory": {')).toHaveProperty("error");
  });
});

describe("suggestId", () => {
  it.each([
    [{ command: "npx -y @modelcontextprotocol/server-memory@1.2" }, "memory"],
    [{ command: "uvx mcp-server-git==2 --repository ." }, "git"],
    [{ command: "node server.js" }, ""],
    [{ kind: "url", url: "https://mcp.notion.com/mcp" }, "notion"],
    [{ kind: "url", url: "http://127.0.0.1:1234/mcp" }, ""],
    [{ kind: "json", json: `{"mcpServers": {"my memory": ${text}}}` }, "my-memory"],
    [{ kind: "json", json: text }, "memory"],
  ] as const)("suggests an id for %j", (draft, id) => {
    expect(suggestId({ ...EMPTY_DRAFT, ...draft })).toBe(id);
  });
});
