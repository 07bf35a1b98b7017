/** Tests values that JSON.parse accepts but JSON.stringify can't serialize, because they are nested too deeply. */
import { tryRenderJson } from "#terminal/render-json.js";
import { plainText } from "#terminal/text.js";
import { renderTool } from "#render/tools/render-tool.js";
import { renderToolSchemas } from "#render/tools/render-tool-schemas.js";
import { renderToolResult } from "#render/tools/render-tool-result.js";
import type { JsonObject } from "@plugboard/contracts";
import { expect, it } from "vitest";

const depth = 100_000;
const deep = JSON.parse(`${'{"a":'.repeat(depth)}"steal\\u200b"${"}".repeat(depth)}`) as JsonObject;

it("tryRenderJson returns undefined for a deeply nested value", () => {
  expect(tryRenderJson({ deep })).toBeUndefined();
  expect(tryRenderJson({ a: 1 })).toBe('{\n  "a": 1\n}\n');
});

it("renderToolSchemas lists the texts of a deeply nested schema", { meta: { covers: ["A4"] } }, () => {
  const pair = { name: "mcp__a__go", server: "a", tool: "go", origin: "mcp", pin: "0" } as const;
  const tool = { ...pair, description: "Goes", inputSchema: deep };
  expect(plainText(renderTool(tool, 80))).toMatch(/^│ Goes\n/m);
  expect(plainText(renderToolSchemas(tool))).toContain(
    "Arguments: (nested too deeply to be shown; it contains these texts:)\n  a\n  steal<U+200B>\n",
  );
});

it("renderToolResult shows a note in place of a deeply nested result", () => {
  const result = { content: [], structuredContent: deep };
  expect(renderToolResult(result)).toBe("[structured content, nested too deeply to be shown]\n");
});
