import { describe, expect, it } from "vitest";
import { describeUrls, hasProtocolOf, transportOfUrl } from "#api/workspace/transports.js";

describe("transportOfUrl", () => {
  it.each([
    ["https://x.example/mcp", "http"],
    ["HTTP://x.example", "http"],
    ["wss://x.example", "websocket"],
    ["${HOST}/mcp", undefined],
    ["ftp://x.example", undefined],
    ["npx", undefined],
  ])("takes %s for %s", (url, transport) => {
    expect(transportOfUrl(url)).toBe(transport);
  });
});

it("hasProtocolOf accepts only the protocols of the transport", () => {
  expect(hasProtocolOf("websocket", "wss://x.example")).toBe(true);
  expect(hasProtocolOf("sse", "wss://x.example")).toBe(false);
  expect(hasProtocolOf("stdio", "https://x.example")).toBe(false);
});

it("describeUrls names the URLs of a transport", () => {
  expect(describeUrls("sse")).toBe("an http(s) URL");
  expect(describeUrls("websocket")).toBe("a ws(s) URL");
});
