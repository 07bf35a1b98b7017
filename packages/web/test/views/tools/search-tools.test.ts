import type { OfferedTool } from "@plugboard/contracts";
import { indexTools, searchTools } from "#views/tools/search-tools.js";
import { describe, expect, it } from "vitest";

const tool = (server: string, name: string, description = ""): OfferedTool => ({
  name: `mcp__${server}__${name}`,
  server,
  tool: name,
  description,
  inputSchema: {},
  origin: "mcp",
  pin: "",
});

describe("searchTools", () => {
  it("finds tools that have all words, and lists those with the words in their name first", () => {
    const index = indexTools([tool("a", "list", "reads a file"), tool("files", "read"), tool("b", "other")]);
    expect(searchTools(index, "READ file").map(({ tool: name }) => name)).toEqual(["read", "list"]);
    expect(searchTools(index, " ")).toHaveLength(3);
  });
});
