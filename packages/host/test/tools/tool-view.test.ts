import type { Tool } from "@plugboard/contracts";
import { ToolRegistry } from "#tools/tool-registry.js";
import { ToolView } from "#tools/tool-view.js";
import type { ToolViewOptions } from "#tools/tool-view.js";
import { describe, expect, it } from "vitest";

const tool = (name: string): Tool => ({ name, inputSchema: { type: "object" } });

function offer(...names: string[]) {
  return { catalog: { tools: names.map(tool), dropped: [] }, filter: {} } as never;
}

function setUp(options: Partial<ToolViewOptions> = {}) {
  const registry = new ToolRegistry();
  registry.update("files", offer("read", "write"));
  registry.update("git", offer("read"));
  const view = new ToolView(registry, {
    naming: "{server}__{tool}",
    maxLength: 48,
    includes: () => true,
    ...options,
  });
  return { registry, view, names: () => view.list().map(({ name }) => name) };
}

describe("ToolView", () => {
  it("lists tools under its own names, which differ from the names in the workspace", () => {
    const { registry, names } = setUp();
    expect(names()).toEqual(["files__read", "files__write", "git__read"]);
    expect(registry.list().map(({ name }) => name)).toContain("mcp__files__read");
  });

  it("finds a tool only by its name in the view", () => {
    const { view } = setUp();
    expect(view.find("git__read")).toMatchObject({ server: "git", tool: "read" });
    for (const other of ["mcp__git__read", "git:read", "read", "git__write"]) expect(view.find(other)).toBeUndefined();
  });

  it("neither lists nor finds a tool that it leaves out, and lets another tool have its name", () => {
    const { view } = setUp({ naming: "{tool}", includes: ({ server }) => server === "git" });
    expect(view.list()).toMatchObject([{ name: "read", server: "git" }]);
    expect(view.find("read")).toMatchObject({ server: "git" });
    expect(view.find("write")).toBeUndefined();
  });

  it("follows the tools of the servers", () => {
    const { registry, names } = setUp();
    names();
    registry.update("git", offer("read", "log"));
    expect(names()).toEqual(["files__read", "files__write", "git__read", "git__log"]);
    registry.remove("files");
    expect(names()).toEqual(["git__read", "git__log"]);
    registry.setEnabled({ server: "git", tool: "log" }, false);
    expect(names()).toEqual(["git__read"]);
  });

  it("does not list the tools of an unavailable server, but still finds them", () => {
    const { registry, view, names } = setUp();
    names();
    registry.update("git", undefined);
    expect(names()).toEqual(["files__read", "files__write"]);
    expect(view.find("git__read")).toMatchObject({ server: "git" });
  });

  it("returns the same list until something changes", () => {
    const { registry, view } = setUp();
    const before = view.list();
    expect(view.list()).toBe(before);
    registry.update("git", offer("read"));
    expect(view.list()).not.toBe(before);
  });
});
