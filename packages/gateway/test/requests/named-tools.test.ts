/** Tests which tools the params of an extension request name. The request counts as a call of these tools. */
import type { JsonObject } from "@plugboard/contracts";
import { namedTools } from "#requests/named-tools.js";
import { describe, expect, it } from "vitest";

/**
 * The server `s` has the tools `run` and `hidden`, the server `o` the tool `other`. Clients know them as `s__run`,
 * `s__hidden` and `o__other`, but do not see `hidden`.
 */
function named(params: JsonObject): string[] {
  const tools = [
    { server: "s", tool: "run" },
    { server: "s", tool: "hidden" },
    { server: "o", tool: "other" },
  ];
  const options = {
    workspace: {
      tools: {
        find: (key: (typeof tools)[0]) => tools.find((one) => one.server === key.server && one.tool === key.tool),
      },
    },
    view: {
      findTool: (name: string) => tools.find((one) => `${one.server}__${one.tool}` === name),
      includesTool: ({ tool }: { tool: string }) => tool !== "hidden",
    },
  };
  return namedTools("s", params, options as never).map(({ server, tool }) => `${server}:${tool}`);
}

describe("namedTools", () => {
  it.each<[JsonObject, string[]]>([
    [{ name: "run" }, ["s:run"]],
    [{ tool: "s__run" }, ["s:run"]],
    [{ name: "run", tool: "hidden" }, ["s:hidden", "s:run"]],
    [{ name: "run", tool: "s__run" }, ["s:run"]],
    [{ other: "run" }, []],
    [{ name: "unknown", tool: 5 }, []],
    [{ name: "s__hidden" }, ["s:hidden"]],
    [{ deep: [{ list: ["x", "hidden"] }] }, ["s:hidden"]],
    [{ deep: { text: "s__hidden" } }, ["s:hidden"]],
    [{ name: "o__other" }, []],
    [{}, []],
  ])("finds in %j the tools %j", (params, tools) => {
    expect(named(params)).toEqual(tools);
  });
});
