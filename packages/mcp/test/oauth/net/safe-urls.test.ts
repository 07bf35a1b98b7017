/** Tests which URLs a login may use, without DNS. */
import { isSafeEndpoint } from "#oauth/net/safe-urls.js";
import { describe, expect, it } from "vitest";

describe("isSafeEndpoint", { meta: { covers: ["S10"] } }, () => {
  it.each<[string, boolean]>([
    ["https://as.example/token", true],
    ["http://127.0.0.1:4000/token", true],
    ["http://localhost:4000/token", true],
    ["http://a.localhost/token", true],
    ["http://[::1]:4000/token", true],
    ["http://10.0.0.5/token", false],
    ["http://as.example/token", false],
    ["http://localhost.example/token", false],
    ["http://127.0.0.1.example/token", false],
    ["ftp://as.example/token", false],
    ["file:///etc/passwd", false],
    ["javascript:alert(1)", false],
    ["https://ann:pass@as.example/token", false],
    ["https://ann@as.example/token", false],
  ])("for the endpoint %s returns %s", (url, allowed) => {
    expect(isSafeEndpoint(url, "https://mcp.example/mcp")).toBe(allowed);
  });

  it("allows http only at the exact origin of the MCP server", () => {
    const own = new URL("http://10.0.0.5:3000/mcp");
    expect(isSafeEndpoint(new URL("http://10.0.0.5:3000/token"), own)).toBe(true);
    expect(isSafeEndpoint(new URL("http://10.0.0.5:3001/token"), own)).toBe(false);
    expect(isSafeEndpoint(new URL("http://10.0.0.6:3000/token"), own)).toBe(false);
  });
});

describe("isSafeEndpoint without a server URL", { meta: { covers: ["S10"] } }, () => {
  it.each<[string, boolean]>([
    ["http://127.0.0.1:8123/callback", true],
    ["http://localhost:8123/callback", true],
    ["http://[::1]/callback", true],
    ["https://app.example/callback", true],
    ["http://10.0.0.5/callback", false],
    ["http://app.example/callback", false],
    ["plugboard://callback", false],
    ["https://ann:pass@app.example/", false],
    ["/callback", false],
    ["", false],
  ])("for the redirect URI %s returns %s", (uri, allowed) => {
    expect(isSafeEndpoint(uri)).toBe(allowed);
  });
});
