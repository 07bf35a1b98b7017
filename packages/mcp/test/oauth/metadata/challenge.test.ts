import { parseChallenge } from "@plugboard/mcp/oauth";
import { describe, expect, it } from "vitest";

describe("parseChallenge", () => {
  it.each([
    ["a missing header", undefined, {}],
    ["an empty header", "", {}],
    ["a bare scheme", "Bearer", { scheme: "bearer" }],
    [
      "the example of the specification",
      'Bearer resource_metadata="https://a.example/m", scope="files:read files:write"',
      { scheme: "bearer", resourceMetadata: "https://a.example/m", scope: "files:read files:write" },
    ],
    ["an error", 'bearer error="insufficient_scope"', { scheme: "bearer", error: "insufficient_scope" }],
    [
      "values without quotes",
      "Bearer error=invalid_token, resource_metadata=https://a.example/m?x=1",
      { scheme: "bearer", error: "invalid_token", resourceMetadata: "https://a.example/m?x=1" },
    ],
    [
      "spaces, capitals and escapes",
      String.raw`BEARER  Error = "a\"b\\c" ,, SCOPE="x"`,
      { scheme: "bearer", error: String.raw`a"b\c`, scope: "x" },
    ],
    [
      "several schemes in one header",
      'Basic realm="x, Bearer scope=no", Negotiate dG9rZW4=, Bearer scope="yes", DPoP algs="ES256", scope="no"',
      { scheme: "bearer", scope: "yes" },
    ],
    ["DPoP alone", 'DPoP algs="ES256", error="use_dpop_nonce"', { scheme: "dpop", error: "use_dpop_nonce" }],
    ["one scheme that appears twice", 'Bearer realm="a", Bearer scope="b"', { scheme: "bearer", scope: "b" }],
    ["an unknown scheme", 'Basic realm="a", scope="b"', {}],
    ["an unterminated quote", 'Bearer scope="a', { scheme: "bearer" }],
    ["parameters without a scheme", 'scope="a"', {}],
  ])("reads %s", (_, header, read) => {
    expect(parseChallenge(header)).toEqual(read);
  });

  it("returns the challenge of the preferred scheme if the header has one", () => {
    const both = 'Bearer scope="a", DPoP error="use_dpop_nonce"';
    expect(parseChallenge(both, "dpop")).toEqual({ scheme: "dpop", error: "use_dpop_nonce" });
    expect(parseChallenge('Bearer scope="a"', "dpop")).toEqual({ scheme: "bearer", scope: "a" });
  });

  it("parses any long header quickly", () => {
    const parts = ['Bearer a="', "\\", '"', ",", "=", " ", "x"];
    for (const part of parts) {
      expect(parseChallenge(`Bearer scope="s", ${part.repeat(100_000)}`)).toMatchObject({ scheme: "bearer" });
    }
  });
});
