/** Tests on which addresses a host serves without an issuer of tokens, and which public names it accepts. */
import { describe, expect, it } from "vitest";
import { endpointHost, isLoopback, resolveServingAddress } from "#http/serving-address.js";

const auth = {
  issuer: "https://issuer.example",
  audience: ["mcp", "https://mcp.example.com/mcp"],
  scopes: { mcp: "*" },
};
const usage = (message: string) =>
  expect.objectContaining({ code: "USAGE", message: expect.stringContaining(message) as string }) as object;

it.each([
  ["127.0.0.1", "127.0.0.1"],
  ["0.0.0.0", "127.0.0.1"],
  ["::", "127.0.0.1"],
  ["10.0.0.1", "10.0.0.1"],
  ["fd00::1", "[fd00::1]"],
])("endpointHost names the address %s as %s", (address, name) => {
  expect(endpointHost(address)).toBe(name);
});

describe("isLoopback", { meta: { covers: ["S16"] } }, () => {
  it.each(["127.0.0.1", "127.5.6.7", "::1", "[::1]", "localhost", "::ffff:127.0.0.1"])("accepts %s", (address) => {
    expect(isLoopback(address)).toBe(true);
  });

  it.each([
    "0.0.0.0",
    "::",
    "10.0.0.1",
    "128.0.0.1",
    "1127.0.0.1",
    "127.0.0.1.evil.example",
    "127.0.0",
    "",
    "localhost.evil",
  ])("rejects %j", (address) => {
    expect(isLoopback(address)).toBe(false);
  });
});

describe("resolveServingAddress", { meta: { covers: ["S16"] } }, () => {
  it("serves only this machine by default, without a public name", () => {
    expect(resolveServingAddress({}, undefined)).toEqual({ host: "127.0.0.1" });
    expect(resolveServingAddress({ host: "::1" }, auth)).toEqual({ host: "::1" });
  });

  it.each([{ host: "0.0.0.0" }, { publicUrl: "https://mcp.example.com" }])("needs an issuer for %j", (address) => {
    expect(() => resolveServingAddress(address, undefined)).toThrow(usage("`mcp.gateway.auth`"));
  });

  it("takes the public name from the URL, or from the first audience that is a URL", () => {
    const publicUrl = "https://other.example:8443/mcp";
    expect(resolveServingAddress({ host: "0.0.0.0" }, auth)).toEqual({
      host: "0.0.0.0",
      publicOrigin: "https://mcp.example.com",
    });
    expect(resolveServingAddress({ publicUrl }, auth)).toEqual({
      host: "127.0.0.1",
      publicOrigin: "https://other.example:8443",
    });
    expect(() => resolveServingAddress({ host: "0.0.0.0" }, { ...auth, audience: ["mcp"] })).toThrow(
      usage("--public-url is needed"),
    );
  });

  it("accepts http only for a name of this machine", () => {
    expect(resolveServingAddress({ publicUrl: "http://localhost:8080" }, auth)).toMatchObject({
      publicOrigin: "http://localhost:8080",
    });
    for (const publicUrl of ["http://mcp.example.com", "ftp://localhost", "mcp.example.com"])
      expect(() => resolveServingAddress({ publicUrl }, auth)).toThrow(usage("must begin with https://"));
  });
});
