import { encodeHeaderValue, NO_CAPABILITIES, requestHeaders, requestMeta } from "#dialect/modern/request-meta.js";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

describe("encodeHeaderValue", () => {
  it.each([
    ["a plain word", "read_file", "read_file"],
    ["spaces inside", "read a file", "read a file"],
    ["one character", "!", "!"],
    ["all printable ASCII", "a~}|{`_^]\\[@?>=<;:/.-,+*)('&%$#\"!z", "a~}|{`_^]\\[@?>=<;:/.-,+*)('&%$#\"!z"],
    ["half of the base64 marker", "=?base64?abc", "=?base64?abc"],
    ["non-ASCII letters", "é", "=?base64?w6k=?="],
    ["emoji", "😀", "=?base64?8J+YgA==?="],
    ["a leading space", " a", "=?base64?IGE=?="],
    ["a trailing space", "a ", "=?base64?YSA=?="],
    ["a line break", "a\r\nX-Evil: 1", "=?base64?YQ0KWC1FdmlsOiAx?="],
    ["a tab inside", "a\tb", "=?base64?YQli?="],
    ["the base64 marker itself", "=?base64?w6k=?=", "=?base64?PT9iYXNlNjQ/dzZrPT89?="],
    ["the empty string", "", "=?base64??="],
  ])("returns a valid header for %s", (_, text, value) => {
    expect(encodeHeaderValue(text)).toBe(value);
  });

  it("encodes any string into a valid header that decodes to it", () => {
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.string(),
      fc.string().map((inner) => `=?base64?${inner}?=`),
    );
    fc.assert(
      fc.property(text, (name) => {
        const value = encodeHeaderValue(name);
        expect(value).toMatch(/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/);
        const encoded = /^=\?base64\?(.*)\?=$/.exec(value);
        expect(encoded ? Buffer.from(encoded[1]!, "base64").toString("utf8") : value).toBe(name);
      }),
    );
  });
});

it("requestHeaders returns headers with the revision, the method and the tool", () => {
  expect(requestHeaders("2026-07-28", "tools/list")).toStrictEqual({
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "tools/list",
  });
  expect(requestHeaders("2026-07-28", "tools/call", "größe")).toMatchObject({ "mcp-name": "=?base64?Z3LDtsOfZQ==?=" });
});

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
