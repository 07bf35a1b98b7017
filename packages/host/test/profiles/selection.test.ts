import { selectionOf } from "#profiles/selection.js";
import { describe, expect, it } from "vitest";

const tools = [
  ["files", "read"],
  ["files", "write"],
  ["git", "read"],
] as const;

describe("selectionOf", () => {
  it.each([
    ["everything without keys", {}, ["files:read", "files:write", "git:read"], ["files", "git"]],
    ["the named servers", { servers: ["git"] }, ["git:read"], ["git"]],
    ["nothing if it names no server", { servers: [] }, [], []],
    ["included tools", { tools: { include: ["*:read"] } }, ["files:read", "git:read"], ["files", "git"]],
    ["every tool for *", { tools: { include: ["*"] } }, ["files:read", "files:write", "git:read"], ["files", "git"]],
    ["all but excluded tools", { tools: { exclude: ["files:w*"] } }, ["files:read", "git:read"], ["files", "git"]],
    [
      "no tool that is both included and excluded",
      { tools: { include: ["files:*"], exclude: ["files:write"] } },
      ["files:read"],
      ["files"],
    ],
    ["no server without an included tool", { tools: { include: ["git:*"] } }, ["git:read"], ["git"]],
    ["no server whose tools are all excluded", { tools: { exclude: ["files:*"] } }, ["git:read"], ["git"]],
  ] as const)("selects %s", (_, profile, selectedTools, selectedServers) => {
    const selection = selectionOf(profile);
    const included = tools.filter(([server, tool]) => selection.includesTool({ server, tool }));
    expect(included.map((pair) => pair.join(":"))).toEqual(selectedTools);
    expect(["files", "git"].filter((server) => selection.includesServer(server))).toEqual(selectedServers);
  });
});
