/** Tests which URLs a login may use, without DNS. */
import { isSafeBrowserUrl, isSafeEndpoint } from "#oauth/net/safe-urls.js";
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

describe("isSafeBrowserUrl", { meta: { covers: ["S10"] } }, () => {
  const PUBLIC = "https://mcp.example/mcp";
  it.each<[page: string, server: string, allowed: boolean]>([
    ["https://as.example/authorize", PUBLIC, true],
    ["https://8.8.8.8/authorize", PUBLIC, true],
    ["http://as.example/authorize", PUBLIC, false],
    ["https://ann:pass@as.example/authorize", PUBLIC, false],
    // These pages are on this machine or in its network. A server elsewhere must not open them.
    ["http://127.0.0.1:4000/authorize", PUBLIC, false],
    ["https://localhost/authorize", PUBLIC, false],
    ["https://10.0.0.5/authorize", PUBLIC, false],
    ["https://169.254.169.254/latest", PUBLIC, false],
    // The server is on this machine or in its network too. Only a page with the same kind of address is allowed.
    ["http://127.0.0.1:4000/authorize", "http://localhost:3000/mcp", true],
    ["https://10.0.0.5/authorize", "https://192.168.0.7/mcp", true],
    ["https://10.0.0.5/authorize", "http://localhost:3000/mcp", false],
    ["http://127.0.0.1:4000/authorize", "https://10.0.0.5/mcp", false],
    // Reserved addresses are no common network, so only the server's own origin is allowed.
    ["https://192.0.2.5/authorize", "https://192.0.2.1/mcp", false],
    ["https://192.0.2.1/authorize", "https://192.0.2.1/mcp", true],
    ["https://192.0.2.1:8443/authorize", "https://192.0.2.1/mcp", false],
    ["http://10.0.0.5:3000/authorize", "http://10.0.0.5:3000/mcp", true],
  ])("for the page %s of the server %s returns %s", (page, server, allowed) => {
    expect(isSafeBrowserUrl(page, server)).toBe(allowed);
  });
});
