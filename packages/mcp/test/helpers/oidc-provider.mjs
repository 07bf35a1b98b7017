/** A real authorization server on loopback, and a user who agrees to everything. */
import { once } from "node:events";
import { createServer } from "node:http";
import { Provider } from "oidc-provider";

/**
 * @param {string} resource the resource of the tokens
 * @returns {Promise<{ issuer: string, stop: () => void }>}
 */
export async function startOidcProvider(resource) {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const issuer = `http://127.0.0.1:${server.address().port}`;
  const provider = new Provider(issuer, {
    scopes: ["openid", "offline_access", "read", "write"],
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    issueRefreshToken: (_, client, code) =>
      client.grantTypeAllowed("refresh_token") && code.scopes.has("offline_access"),
    features: {
      registration: { enabled: true },
      revocation: { enabled: true },
      deviceFlow: { enabled: true },
      clientCredentials: { enabled: true },
      devInteractions: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_, requested) => {
          if (requested !== resource) throw new Error(`unexpected request for ${requested}`);
          return { scope: "read write", audience: requested, accessTokenFormat: "jwt", accessTokenTTL: 300 };
        },
        useGrantedResource: () => true,
      },
    },
  });
  server.on("request", provider.callback());
  const stop = () => {
    server.close();
    server.closeAllConnections();
  };
  return { issuer, stop };
}

/**
 * Opens a page and submits its forms until it is redirected to the client or a page has no form. Returns the redirect
 * URL or the last page.
 * @param {string} url
 * @param {{ [name: string]: string }} [values] further form values
 */
export async function agree(url, values) {
  /** @type {Map<string, string>} */
  const cookies = new Map();
  let nextUrl = url;
  /** @type {URLSearchParams | undefined} */
  let form;
  for (let steps = 0; steps < 20; steps++) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const sent = form ? { method: "POST", body: form } : {};
    const response = await fetch(nextUrl, { ...sent, headers: { cookie }, redirect: "manual" });
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get("location");
    if (location !== null) {
      nextUrl = new URL(location, nextUrl).href;
      form = undefined;
      if (new URL(nextUrl).origin !== new URL(url).origin) return nextUrl;
      continue;
    }
    const page = await response.text();
    const action = /<form[^>]*action="([^"]+)"/.exec(page)?.[1];
    if (action === undefined) return page;
    form = new URLSearchParams(
      [...page.matchAll(/<input[^>]*name="([^"]+)"[^>]*value="([^"]*)"/g)].map(([, n, v]) => [n, v]),
    );
    for (const [name, value] of Object.entries({ login: "ada", password: "any", ...values })) {
      if (page.includes(`name="${name}"`)) form.set(name, value);
    }
    nextUrl = new URL(action, nextUrl).href;
  }
  throw new Error("the login has too many steps");
}
