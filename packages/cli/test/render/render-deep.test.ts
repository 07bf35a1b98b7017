/** JSON can be read more deeply than it can be written: what a server sends may be such. */
import { tryRenderJson } from "#render/render-json.js";
import { renderTool } from "#render/render-tool.js";
import { renderToolResult } from "#render/render-tool-result.js";
import type { JsonObject } from "@plugboard/contracts";
import { expect, it } from "vitest";

const depth = 100_000;
const deep = JSON.parse(`${'{"a":'.repeat(depth)}"steal\\u200b"${"}".repeat(depth)}`) as JsonObject;

it("is not written as JSON", () => {
  expect(tryRenderJson({ deep })).toBeUndefined();
  expect(tryRenderJson({ a: 1 })).toBe('{\n  "a": 1\n}\n');
});

it("is named in what is shown of a tool, with every text in it", { meta: { covers: ["A4"] } }, () => {
  const pair = { name: "mcp__a__go", server: "a", tool: "go", origin: "mcp", pin: "0" } as const;
  const shown = renderTool({ ...pair, description: "Goes", inputSchema: deep });
  expect(shown).toMatch(/^Goes\n/m);
  expect(shown).toContain("Arguments: (nested too deeply to be shown; the texts in it:)\n  a\n  steal<U+200B>\n");
});

it("is named in place of a result", () => {
  const result = { content: [], structuredContent: deep };
  expect(renderToolResult(result)).toBe("[structured content, nested too deeply to be shown]\n");
});
