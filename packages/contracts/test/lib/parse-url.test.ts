/** Tests that URLs with Latin-1 characters are parsed on every supported version of Node. */
import { parseUrl } from "@plugboard/contracts";
import { describe, expect, it } from "vitest";

describe("parseUrl", () => {
  it("parses a URL with Latin-1 characters the same in every call, unlike URL.canParse in Node 20", () => {
    // `URL.canParse` of Node 20 fails here after some thousand calls.
    const hosts = Array.from({ length: 20_000 }, () => parseUrl("https://ü.example/ü")?.host);
    expect(new Set(hosts)).toEqual(new Set(["xn--tda.example"]));
  });

  it.each([
    ["not a URL", undefined, undefined],
    ["/b", "https://a.example/x", "https://a.example/b"],
    ["https://a.example", undefined, "https://a.example/"],
  ])("converts %j with the base %j to %j", (text, base, href) => {
    expect(parseUrl(text, base)?.href).toBe(href);
  });
});
