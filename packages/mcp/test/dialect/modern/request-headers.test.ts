import { requestHeaders } from "#dialect/modern/request-headers.js";
import { expect, it } from "vitest";

it("requestHeaders returns headers with the revision, the method and the tool", () => {
  expect(requestHeaders("2026-07-28", "tools/list")).toStrictEqual({
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "tools/list",
  });
  expect(requestHeaders("2026-07-28", "tools/call", { name: "größe", arguments: {} })).toMatchObject({
    "mcp-name": "=?base64?Z3LDtsOfZQ==?=",
  });
});
