import { decodeHeaderValue, encodeHeaderValue } from "#dialect/modern/header-value.js";
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
        expect(decodeHeaderValue(value)).toBe(name);
      }),
    );
  });
});

it.each(["=?base64?SGVsbG8?=", "=?base64?SGVs!!!bG8=?=", "=?base64?S?="])(
  "decodeHeaderValue rejects %s, which is not valid base64",
  (value) => expect(decodeHeaderValue(value)).toBeUndefined(),
);
