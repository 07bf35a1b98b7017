/** Tests the section `gateway` of config files. */
import type { ConfigSource } from "@plugboard/contracts";
import { mergeLayers } from "#read/merge-layers.js";
import { readLayerFromText } from "#read/read-layer.js";
import { describe, expect, it } from "vitest";

const FILE = "/home/ann/config.json";
const auth = { issuer: "https://id.example.com/t", audience: "https://mcp.example.com/mcp", scopes: { mcp: "*" } };

function read(gateway: unknown, source: ConfigSource = "user") {
  return readLayerFromText(FILE, JSON.stringify({ mcp: { gateway } }), { source, folder: "/home/ann" });
}

describe("the key gateway of a config file", () => {
  it("can set the issuer and the limit of requests", async () => {
    const more = { scopes: { mcp: "*", "mcp:review": "review" }, jwks_uri: "https://id.example.com/keys" };
    const gateway = { auth: { ...auth, ...more, approve_scope: "mcp:approve" }, requests_per_second: 20 };
    expect(await read(gateway)).toMatchObject({
      problems: [],
      gateway: {
        auth: {
          issuer: "https://id.example.com/t",
          audience: ["https://mcp.example.com/mcp"],
          scopes: more.scopes,
          jwksUri: "https://id.example.com/keys",
          approveScope: "mcp:approve",
        },
        requestsPerSecond: 20,
      },
    });
    expect((await read({ auth: { ...auth, audience: ["a", "b"] } })).gateway?.auth?.audience).toEqual(["a", "b"]);
  });

  it.each<[unknown, string]>([
    [7, "it must be an object"],
    [{ auth: "none" }, '"auth" must be an object'],
    [{ auth: { ...auth, issuer: "http://id.example.com" } }, '"auth.issuer" must be an https URL'],
    [{ auth: { ...auth, issuer: "id.example.com" } }, '"auth.issuer" must be an https URL'],
    [{ auth: { ...auth, issuer: undefined } }, '"auth.issuer" must be an https URL'],
    [{ auth: { ...auth, audience: undefined } }, '"auth.audience" must be a text'],
    [{ auth: { ...auth, audience: [] } }, '"auth.audience" must be a text'],
    [{ auth: { ...auth, audience: ["a", ""] } }, '"auth.audience" must be a text'],
    [{ auth: { ...auth, scopes: {} } }, '"auth.scopes" must be an object'],
    [{ auth: { ...auth, scopes: ["mcp"] } }, '"auth.scopes" must be an object'],
    [{ auth: { ...auth, scopes: { 'a"b': "*" } } }, '"auth.scopes" must be an object'],
    [{ auth: { ...auth, scopes: { mcp: "a b" } } }, '"auth.scopes" must be an object'],
    [{ auth: { ...auth, jwks_uri: "http://id.example.com/keys" } }, '"auth.jwks_uri" must be an https URL'],
    [{ auth: { ...auth, approve_scope: "a b" } }, '"auth.approve_scope" must be a scope'],
    [{ auth: { ...auth, audiences: "x" } }, '"audiences"'],
    [{ auth, request_per_second: 5 }, 'unknown key "request_per_second"; did you mean "requests_per_second"?'],
    [{ auth, requests_per_second: 0 }, '"requests_per_second" must be a positive whole number'],
  ])("has no effect, and is reported, if it is %j", async (gateway, message) => {
    const layer = await read(gateway);
    expect(layer.gateway).toEqual({});
    expect(layer.problems).toMatchObject([{ severity: "error", message: expect.stringContaining(message) as string }]);
  });

  it("has no effect, and is reported at its line, if a key is defined twice", async () => {
    const text = '{"mcp": {"gateway": {\n"requests_per_second": 5,\n"requests_per_second": 500}}}';
    const layer = await readLayerFromText(FILE, text, { source: "user", folder: "/home/ann" });
    expect(layer.gateway).toEqual({});
    const message = '"gateway" has no effect: "requests_per_second" is defined twice, on lines 2 and 3';
    expect(layer.problems).toMatchObject([{ severity: "error", line: 2, message }]);
  });

  it("is ignored in a project's file", { meta: { covers: ["A1"] } }, async () => {
    const layer = await read({ auth }, "project");
    expect(layer.gateway).toBeUndefined();
    expect(layer.problems).toMatchObject([{ severity: "warning" }]);
  });

  it("replaces the whole section of a lower layer, even if it is invalid itself", async () => {
    const merge = async (higher: unknown) => {
      const layers = [await read({ auth }), await read(higher, "invocation")];
      return mergeLayers(layers, () => true).gateway;
    };
    expect(await merge({ auth: "none" })).toEqual({});
    expect(await merge({ requests_per_second: 5 })).toEqual({ requestsPerSecond: 5 });
    expect((await merge(undefined)).auth).toMatchObject({ issuer: auth.issuer });
  });
});
