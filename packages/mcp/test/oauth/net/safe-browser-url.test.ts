/** Tests which pages a server may open in the user's browser. Uses scripted metadata and no network. */
import { beginDeviceAuthorization, discoverProvider } from "@plugboard/mcp/oauth";
import type { OAuthContext } from "@plugboard/mcp/oauth";
import { describe, expect, it } from "vitest";
import { ManualClock } from "../../../../contracts/test/helpers/manual-clock.ts";
import { expectHostError } from "../../helpers/oauth-site.ts";

const url = "https://mcp.example/mcp";
const issuer = "https://as.example";

function published(page: string): OAuthContext {
  const documents: { readonly [url: string]: object } = {
    "https://mcp.example/.well-known/oauth-protected-resource/mcp": { resource: url, authorization_servers: [issuer] },
    [`${issuer}/.well-known/oauth-authorization-server`]: { issuer, authorization_endpoint: page },
    [`${issuer}/device`]: { device_code: "d", user_code: "u", verification_uri: page, expires_in: 60 },
  };
  const fetch = async (address: string) =>
    Response.json(documents[address] ?? {}, { status: address in documents ? 200 : 404 });
  return { server: "demo", clock: new ManualClock(), fetch };
}

const INSIDE = [
  "http://127.0.0.1:8080/shutdown",
  "http://localhost:9229/json",
  "https://[::1]/x",
  "https://192.168.0.1/reboot",
  "https://10.0.0.5/authorize",
  "https://169.254.169.254/latest",
];

describe("A page on this machine or in the local network", { meta: { covers: ["S14"] } }, () => {
  it.each(INSIDE)("is rejected as the login page of a remote server (%s)", async (page) => {
    expect(await expectHostError(discoverProvider({ url }, published(page)))).toMatchObject({ code: "LOGIN_UNSAFE" });
  });

  it.each(INSIDE)("is rejected as the device login page of a remote server (%s)", async (page) => {
    const metadata = { issuer, device_authorization_endpoint: `${issuer}/device` };
    const provider = { issuer, resource: url, metadata, source: "metadata" } as const;
    const client = { clientId: "me", authMethod: "none", origin: "registered" } as const;
    expect(await expectHostError(beginDeviceAuthorization(provider, client, {}, published(page)))).toMatchObject({
      code: "LOGIN_UNSAFE",
    });
  });

  it("is allowed as the login page if the user configured it", async () => {
    const [authorizationUrl] = INSIDE;
    const configured = { authorizationUrl: authorizationUrl!, tokenUrl: `${issuer}/token` };
    const found = await discoverProvider({ url, configured }, published("https://as.example/authorize"));
    expect(found.metadata.authorization_endpoint).toBe(authorizationUrl);
  });
});
