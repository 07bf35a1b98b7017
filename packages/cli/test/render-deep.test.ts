/** JSON can be read more deeply than it can be written: what a server sends may be such. */
import { tryRenderJson } from "#render/json.js";
import { renderTool } from "#render/tool.js";
import { renderToolResult } from "#render/tool-result.js";
import type { JsonObject } from "@plugboard/contracts";
import { expect, it } from "vitest";

const depth = 100_000;
const deep = JSON.parse(`${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`) as JsonObject;

it("is not written as JSON", () => {
  expect(tryRenderJson({ deep })).toBeUndefined();
  expect(tryRenderJson({ a: 1 })).toBe('{\n  "a": 1\n}\n');
});

it("is named in what is shown of a tool", () => {
  const pair = { name: "mcp__a__go", server: "a", tool: "go", origin: "mcp", pin: "0" } as const;
  expect(renderTool({ ...pair, description: "Goes", inputSchema: deep })).toContain(
    "Goes\n\nArguments: (nested too deeply to be shown)",
  );
});

it("is named in place of a result", () => {
  const result = { content: [], structuredContent: deep };
  expect(renderToolResult(result)).toBe("[structured content, nested too deeply to be shown]\n");
});
