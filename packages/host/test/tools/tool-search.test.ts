import { ToolRegistry } from "#tools/tool-registry.js";
import type { RegisteredTool } from "#tools/registered-tool.js";
import { ToolSearch } from "#tools/tool-search.js";
import { tokenize } from "#tools/search-index.js";
import type { Tool } from "@plugboard/contracts";
import { describe, expect, it } from "vitest";

const TOOLS: { readonly [server: string]: readonly Tool[] } = {
  github: [
    tool("create_issue", "Opens a new issue in a repository", { repo: "owner and name", title: "" }),
    tool("mergePullRequest", "Merges a pull request", { repo: "owner and name", strategy: "squash or rebase" }),
    tool("list-branches", "Lists the branches of a repository", { repo: "owner and name" }),
  ],
  files: [
    tool("read_file", "Reads a text file from disk", { path: "where it is" }),
    tool("stat", "Says how large something is", { filename: "where it is" }),
  ],
  mail: [tool("send", "Sends a message. Not an issue tracker", { recipient: "an address" })],
};

describe("ToolSearch", () => {
  describe("indexing 900 000 words", () => {
    /** Makes tools of 6 000 words each, before limits apply. Reading the description of a tool calls `read`. */
    function countedTools(count: number, read: () => void): RegisteredTool[] {
      const [letters, names] = [
        "a b ".repeat(500),
        Array.from({ length: 100 }, (_, index) => `p${index} b c d e f g h`),
      ];
      const properties = Object.fromEntries(names.map((name) => [name, { description: "x y z ".repeat(5) }]));
      return Array.from({ length: count }, (_, index) => ({
        ...{
          name: `t${index}`,
          server: "s",
          tool: letters,
          title: letters,
          inputSchema: { type: "object", properties },
        },
        get description() {
          read();
          return `only${String(index).padStart(3, "0")} ${letters}`;
        },
      })) as unknown as RegisteredTool[];
    }

    it("pauses after each 2 000 words, also when tools are replaced, and finds every tool", async () => {
      let [sincePause, most, pauses] = [0, 0, 0];
      const read = () => (most = Math.max(most, ++sincePause));
      const pause = () => Promise.resolve(((sincePause = 0), pauses++));
      const source = { generation: 1, byServer: () => new Map([["s", list]]) };
      let list = countedTools(150, read);
      const search = new ToolSearch(source, pause);
      const [one, other] = await Promise.all([search.search("only149"), search.search("only007")]);
      expect([one, other].map((hits) => hits.map(({ tool }) => tool.name))).toEqual([["t149"], ["t7"]]);
      expect(most).toBeLessThanOrEqual(2);
      expect(pauses).toBeGreaterThanOrEqual(75);
      list = countedTools(10, read);
      source.generation++;
      sincePause = most = 0;
      expect(await search.search("only149")).toEqual([]);
      expect(await search.search("only007")).toMatchObject([{ tool: { name: "t7" } }]);
      expect(most).toBeLessThanOrEqual(2);
    });

    it("also pauses for tools without words", async () => {
      let pauses = 0;
      const list = Array.from({ length: 1_000 }, () => ({ tool: "_", server: "_", description: "", inputSchema: {} }));
      const source = { generation: 1, byServer: () => new Map([["s", list as unknown as RegisteredTool[]]]) };
      await new ToolSearch(source, () => Promise.resolve(pauses++)).search("x");
      expect(pauses).toBe(10);
    });
  });

  describe("search", () => {
    it.each([
      ["by the words of their names", "create issue", "create_issue"],
      ["by a name in another style", "createIssue", "create_issue"],
      ["by a name written as one word", "createissue", "create_issue"],
      ["by part of a camelCase name", "pull request", "mergePullRequest"],
      ["by part of a kebab-case name", "branches", "list-branches"],
      ["by the beginning of a word", "bran", "list-branches"],
      ["by a mistyped word", "isue", "create_issue"],
      ["by their description", "from disk", "read_file"],
      ["by their title", "postal", "send"],
      ["by the name of a parameter", "recipient", "send"],
      ["by the description of a parameter", "squash", "mergePullRequest"],
      ["by their server", "mail", "send"],
      ["in any case", "CREATE ISSUE", "create_issue"],
    ])("finds tools %s", async (_, query, first) => {
      const [hit] = await searchOf(TOOLS).search.search(query);
      expect(hit?.tool.tool).toBe(first);
      expect(hit?.score).toBeGreaterThan(0);
    });

    it("ranks a match in the name before a match in the description", async () => {
      const hits = await searchOf(TOOLS).search.search("issue");
      expect(hits.map(({ tool }) => tool.tool)).toEqual(["create_issue", "send"]);
    });

    it("returns at most as many hits as the limit", async () => {
      const { search } = searchOf(TOOLS);
      expect(await search.search("repository", { limit: 1 })).toHaveLength(1);
      expect(await search.search("repository")).toHaveLength(2);
      expect(await search.search("repository", { limit: 0 })).toEqual([]);
    });

    it("finds a tool only by words that it has", async () => {
      const { search } = searchOf(TOOLS);
      for (const query of ["", "  ", "__", "zzzzzz", "😀"]) expect(await search.search(query)).toEqual([]);
    });

    it("finds tools by a common word only if it is in their names", async () => {
      const many = Array.from({ length: 1_500 }, (_, index) => tool(`x${index}`, "Does a thing in the workspace", {}));
      const { search } = searchOf({ many: [...many, tool("workspace_reset", "Restarts everything", {})] });
      const hits = await search.search("the workspace");
      expect(hits.map(({ tool }) => tool.tool)).toEqual(["workspace_reset"]);
    });
  });

  describe("index", () => {
    it("is updated when servers change, disappear and return", async () => {
      const { registry, search } = searchOf(TOOLS);
      expect(await first(search, "issue")).toBe("create_issue");
      registry.update("github", offer([tool("close_issue", "", {})]));
      expect(await first(search, "issue")).toBe("close_issue");
      registry.update("github", undefined);
      expect(await first(search, "issue")).toBe("send");
      registry.update("github", offer([tool("close_issue", "", {})]));
      expect(await first(search, "close")).toBe("close_issue");
      registry.remove("github");
      expect(await first(search, "close")).toBeUndefined();
    });

    it("is updated when tools are disabled, enabled and registered", async () => {
      const { registry, search } = searchOf(TOOLS);
      registry.setEnabled({ server: "github", tool: "create_issue" }, false);
      expect(await first(search, "issue")).toBe("send");
      registry.setEnabled({ server: "github", tool: "create_issue" }, true);
      expect(await first(search, "issue")).toBe("create_issue");
      registry.register({ ...tool("clock", "Tells the time", {}), description: "", run: () => ({ content: [] }) });
      expect(await first(search, "clock")).toBe("clock");
    });

    it("reads only the servers that have changed", async () => {
      const { registry } = searchOf({ a: [tool("create_issue", "", {})], b: [tool("x", "", {})] });
      const [create] = registry.list();
      let read = 0;
      const counted = Object.defineProperty({ ...create! }, "description", {
        get: () => `read ${++read} times`,
      }) as RegisteredTool;
      const lists = new Map(registry.byServer()).set("a", [counted]);
      const searchable = { generation: 1, byServer: () => lists };
      const search = new ToolSearch(searchable);
      expect(await first(search, "issue")).toBe("create_issue");
      searchable.generation++;
      lists.set("b", []);
      expect(await first(search, "issue")).toBe("create_issue");
      expect(read).toBe(1);
    });

    it("does not treat a word as common only because its tool was indexed several times", async () => {
      const { registry, search } = searchOf({});
      for (let time = 0; time < 30; time++) {
        registry.update("a", offer(Array.from({ length: 50 }, (_, index) => tool(`t${index}`, "About penguins", {}))));
        await search.search("penguins");
      }
      expect(await search.search("penguins")).toHaveLength(10);
    });

    it("is shared by concurrent searches, also during an update", async () => {
      const many = Array.from({ length: 200 }, (_, index) => tool(`find_${index}`, "", {}));
      const { registry, search } = searchOf({ many });
      const early = search.search("find", { limit: 500 });
      registry.update("other", offer([tool("find_it", "", {})]));
      const late = search.search("find", { limit: 500 });
      registry.update("many", undefined);
      expect((await early).map(({ tool }) => tool.tool)).toEqual(["find_it"]);
      expect((await late).map(({ tool }) => tool.tool)).toEqual(["find_it"]);
    });
  });

  describe("size limits", () => {
    it("leave the first 2 000 characters of a description in the index", async () => {
      const long = `${"word ".repeat(399)}seen unseen${" other".repeat(2_000_000)}`;
      const { search } = searchOf({ a: [tool("go", long, {})] });
      expect(await first(search, "seen")).toBe("go");
      expect(await first(search, "unseen")).toBeUndefined();
    });

    it("leave the first 500 words of a field in the index", async () => {
      const letters = (count: number) => "a ".repeat(count);
      const { search } = searchOf({ s: [tool("x", `${letters(499)}near`, {}), tool("y", `${letters(500)}far`, {})] });
      expect(await first(search, "near")).toBe("x");
      expect(await first(search, "far")).toBeUndefined();
    });

    it("leave the first 100 parameters in the index", async () => {
      const descriptionOf = (index: number) => `${"word ".repeat(8)}d${index} `;
      const parameters = Object.fromEntries(
        Array.from({ length: 101 }, (_, index) => [`p${index}`, descriptionOf(index)]),
      );
      const { search } = searchOf({ a: [tool("go", "", parameters)] });
      expect(await first(search, "d40")).toBe("go");
      expect(await search.search("d90")).toEqual([]);
      expect(await first(search, "p99")).toBe("go");
      expect(await search.search("p100")).toEqual([]);
    });

    it("truncate a query to its first 500 characters", async () => {
      const { search } = searchOf(TOOLS);
      expect(await first(search, `${" ".repeat(495)}issue`)).toBe("create_issue");
      expect(await first(search, `${" ".repeat(500)}issue`)).toBeUndefined();
    });

    it("do not fail for unusual schemas", async () => {
      const odd = { ...tool("go", "", {}), inputSchema: { properties: { a: true, b: { description: 5 }, c: null } } };
      const { search } = searchOf({ a: [odd, { ...tool("come", "", {}), inputSchema: { properties: [] } }] });
      expect(await first(search, "go")).toBe("go");
      expect(await first(search, "come")).toBe("come");
    });
  });

  it.each([
    ["read_file", ["read", "file", "readfile"]],
    ["readFile", ["read", "file", "readfile"]],
    ["read-file now", ["read", "file", "readfile", "now"]],
    ["parseHTTPResponse2", ["parse", "http", "response2", "parsehttpresponse2"]],
    ["Größe ändern", ["größe", "ändern"]],
    ["__a__", ["a"]],
    ["repos.list(owner)", ["repos", "list", "owner"]],
    ["x".repeat(50), ["x".repeat(40)]],
    ["- _ . !", []],
  ])("tokenize splits %s into %j", (text, words) => {
    expect(tokenize(text)).toEqual(words);
  });
});

function searchOf(servers: { readonly [id: string]: readonly Tool[] }) {
  const registry = new ToolRegistry();
  for (const [id, tools] of Object.entries(servers)) registry.update(id, offer(tools));
  return { registry, search: new ToolSearch(registry) };
}

async function first(search: ToolSearch, query: string): Promise<string | undefined> {
  return (await search.search(query))[0]?.tool.tool;
}

function offer(tools: readonly Tool[]) {
  return { catalog: { tools, dropped: [] }, filter: {} };
}

function tool(name: string, description: string, parameters: { readonly [name: string]: string }): Tool {
  const properties = Object.fromEntries(
    Object.entries(parameters).map(([key, description]) => [key, { type: "string", description }]),
  );
  const title = name === "send" ? "Postal service" : undefined;
  return { name, description, ...(title && { title }), inputSchema: { type: "object", properties } };
}
