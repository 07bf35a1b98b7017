import { initializeParams } from "#dialect/legacy/handshake.js";
import { describe, expect, it } from "vitest";

const identity = { name: "plugboard", version: "1" };

describe("initializeParams", () => {
  it("declares the extensions of the host", () => {
    const extensions = { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } };
    expect(initializeParams(identity, { extensions })).toMatchObject({ capabilities: { extensions } });
    expect(initializeParams(identity, {})["capabilities"]).not.toHaveProperty("extensions");
  });
});
