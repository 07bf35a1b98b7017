import { proxyUrl } from "#connection/proxy-url.js";
import { expect, it } from "vitest";

it.each([
  ["https://proxy.example/v1/mcp/{id}", "srv_1", "https://proxy.example/v1/mcp/srv_1"],
  ["https://proxy.example/{id}/mcp?of={id}", "a", "https://proxy.example/a/mcp?of=a"],
  ["https://proxy.example/mcp", "a", "https://proxy.example/mcp/a"],
  ["https://proxy.example/mcp/", "a", "https://proxy.example/mcp/a"],
  ["https://proxy.example", "a", "https://proxy.example/a"],
  ["https://proxy.example/mcp?key=1#x", "a", "https://proxy.example/mcp/a?key=1#x"],
  ["https://proxy.example/mcp/{id}", "../../x?y", "https://proxy.example/mcp/..%2F..%2Fx%3Fy"],
  ["https://proxy.example/mcp", "a/b", "https://proxy.example/mcp/a%2Fb"],
  ["https://proxy.example/mcp/{id}", "$&", "https://proxy.example/mcp/%24%26"],
])("proxyUrl combines the URL %s and the id %s into %s", (url, id, expected) => {
  expect(proxyUrl(url, id)).toBe(expected);
});
