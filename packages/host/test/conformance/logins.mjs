// @ts-check
/** The actions of the conformance client in each login scenario, and its server definition. */

/** @import { EmbeddedHost } from "@plugboard/host" */
/** @import { Scenario } from "./client.mjs" */

/**
 * The host logs in and calls all tools.
 * @type {Scenario}
 */
const CONNECTS = { run: useTools };

/**
 * The host refuses an unsafe login.
 * @type {Scenario}
 */
const REFUSES_LOGIN = { run: expectRefusal };

const CLIENT_METADATA_URL = "https://conformance-test.local/client-metadata.json";

/** @type {{ readonly [scenario: string]: Scenario }} */
export const LOGINS = {
  "auth/metadata-default": CONNECTS,
  "auth/metadata-var1": CONNECTS,
  "auth/metadata-var2": CONNECTS,
  "auth/metadata-var3": CONNECTS,
  "auth/basic-cimd": {
    entry: () => ({ auth: { type: "oauth", client_metadata_url: CLIENT_METADATA_URL } }),
    run: useTools,
  },
  "auth/scope-from-www-authenticate": CONNECTS,
  "auth/scope-from-scopes-supported": CONNECTS,
  "auth/scope-omitted-when-undefined": CONNECTS,
  "auth/scope-step-up": CONNECTS,
  "auth/scope-retry-limit": { run: (host) => expectError("AUTH_REQUIRED", host.servers.connect("it")) },
  "auth/token-endpoint-auth-basic": CONNECTS,
  "auth/token-endpoint-auth-post": CONNECTS,
  "auth/token-endpoint-auth-none": CONNECTS,
  "auth/pre-registration": {
    entry: ({ client_id = "", client_secret = "" }) => ({ auth: { type: "oauth", client_id, client_secret } }),
    run: useTools,
  },
  "auth/2025-03-26-oauth-metadata-backcompat": CONNECTS,
  // The server does not announce a login, so the host does not ask for it. The user starts the login.
  "auth/2025-03-26-oauth-endpoint-fallback": {
    run: async (host) => {
      await host.servers.login("it");
      await useTools(host);
    },
  },
  "auth/resource-mismatch": REFUSES_LOGIN,
  "auth/offline-access-scope": CONNECTS,
  "auth/offline-access-not-supported": CONNECTS,
  "auth/authorization-server-migration": CONNECTS,
  "auth/iss-supported": CONNECTS,
  "auth/iss-not-advertised": CONNECTS,
  "auth/iss-supported-missing": REFUSES_LOGIN,
  "auth/iss-wrong-issuer": REFUSES_LOGIN,
  "auth/iss-unexpected": REFUSES_LOGIN,
  "auth/iss-normalized": REFUSES_LOGIN,
  "auth/metadata-issuer-mismatch": REFUSES_LOGIN,
  "auth/client-credentials-jwt": {
    entry: ({ client_id = "" }) => ({
      auth: { type: "client_credentials", client_id, private_key_file: "key.pem" },
    }),
    files: ({ private_key_pem = "" }) => ({ "key.pem": private_key_pem }),
    run: useTools,
  },
  "auth/client-credentials-basic": {
    entry: ({ client_id = "", client_secret = "" }) => ({
      auth: { type: "client_credentials", client_id, client_secret },
    }),
    run: useTools,
  },
  "auth/dpop": CONNECTS,
  "auth/dpop-nonce": CONNECTS,
  "auth/wif-jwt-bearer": {
    entry: ({ client_id = "" }) => ({ auth: { type: "client_credentials", client_id, assertion_file: "jwt" } }),
    files: ({ valid_jwt = "" }) => ({ jwt: valid_jwt }),
    run: useTools,
  },
  "auth/enterprise-managed-authorization": {
    entry: ({ client_id = "", client_secret = "", idp_client_id = "", idp_token_endpoint: idp_token_url = "" }) => ({
      auth: { type: "enterprise", client_id, client_secret, idp_client_id, idp_token_url, id_token_file: "id" },
    }),
    files: ({ idp_id_token = "" }) => ({ id: idp_id_token }),
    run: useTools,
  },
};

/** @param {EmbeddedHost} host */
async function useTools(host) {
  await host.servers.connect("it");
  const tools = host.tools.list();
  if (tools.length === 0) throw new Error("the server offers no tools");
  for (const { server, tool } of tools) await host.tools.call({ server, tool }, {});
}

/** @param {EmbeddedHost} host */
async function expectRefusal(host) {
  await expectError("LOGIN_UNSAFE", host.servers.login("it"));
  const [status] = host.status();
  if (status?.state === "ready" || status?.login) throw new Error("the login succeeded unexpectedly");
}

/**
 * @param {string} code
 * @param {Promise<unknown>} work
 */
async function expectError(code, work) {
  const actual = await work.then(
    () => "success",
    (error) => error.code,
  );
  if (actual !== code) throw new Error(`expected ${code}, but got ${actual}`);
}
