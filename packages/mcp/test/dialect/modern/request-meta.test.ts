import { requestMeta } from "#dialect/modern/request-meta.js";
import { NO_CAPABILITIES } from "#session/identity.js";
import { describe, expect, it } from "vitest";

describe("requestMeta", () => {
  const envelope = { identity: { name: "plugboard", version: "1.2.3" }, version: "2026-07-28" };
  const base = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "plugboard", version: "1.2.3" },
  };
  const capabilities = "io.modelcontextprotocol/clientCapabilities";

  it("contains the capabilities of the caller", () => {
    expect(requestMeta(envelope, NO_CAPABILITIES)).toStrictEqual({ ...base, [capabilities]: {} });
    expect(requestMeta(envelope, { ...NO_CAPABILITIES, elicitation: true })).toStrictEqual({
      ...base,
      [capabilities]: { elicitation: { form: {}, url: {} } },
    });
  });

  it("contains the progress token, including zero", () => {
    expect(requestMeta(envelope, NO_CAPABILITIES, { progressToken: 0 })).toStrictEqual({
      ...base,
      [capabilities]: {},
      progressToken: 0,
    });
  });
});
