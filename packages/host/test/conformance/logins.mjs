// @ts-check
/** The actions of the conformance client in each login scenario, and its server definition. */

/** @import { EmbeddedHost } from "@plugboard/host" */
/** @import { Scenario } from "./client.mjs" */

/** @type {Scenario} */
const USES = { run: useTools };

/** @type {Scenario} */
const REFUSES = { run: expectRefusal };

const CLIENT_METADATA_URL = "https://conformance-test.local/client-metadata.json";

/** @type {{ readonly [scenario: string]: Scenario }} */
export const LOGINS = {
  "auth/metadata-default": USES,
  "auth/metadata-var1": USES,
  "auth/metadata-var2": USES,
  "auth/metadata-var3": USES,
  "auth/basic-cimd": {
    entry: () => ({ auth: { type: "oauth", client_metadata_url: CLIENT_METADATA_URL } }),
    run: useTools,
  },
  "auth/scope-from-www-authenticate": USES,
  "auth/scope-from-scopes-supported": USES,
  "auth/scope-omitted-when-undefined": USES,
  "auth/scope-step-up": USES,
  "auth/scope-retry-limit": { run: (host) => expectError("AUTH_REQUIRED", host.servers.connect("it")) },
  "auth/token-endpoint-auth-basic": USES,
  "auth/token-endpoint-auth-post": USES,
  "auth/token-endpoint-auth-none": USES,
  "auth/pre-registration": {
    entry: ({ client_id = "", client_secret = "" }) => ({ auth: { type: "oauth", client_id, client_secret } }),
    run: useTools,
  },
  // The server does not announce a login, so the host does not ask for one. The user starts it.
  "auth/2025-03-26-oauth-metadata-backcompat": USES,
  "auth/2025-03-26-oauth-endpoint-fallback": {
    run: async (host) => {
      await host.servers.login("it");
      await useTools(host);
    },
  },
  "auth/resource-mismatch": REFUSES,
  "auth/offline-access-scope": USES,
  "auth/offline-access-not-supported": USES,
  "auth/authorization-server-migration": USES,
  "auth/iss-supported": USES,
  "auth/iss-not-advertised": USES,
  "auth/iss-supported-missing": REFUSES,
  "auth/iss-wrong-issuer": REFUSES,
  "auth/iss-unexpected": REFUSES,
  "auth/iss-normalized": REFUSES,
  "auth/metadata-issuer-mismatch": REFUSES,
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
  "auth/dpop": USES,
  "auth/dpop-nonce": USES,
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
  const end = await work.then(
    () => "nothing wrong",
    (error) => error.code,
  );
  if (end !== code) throw new Error(`it ended with ${end} instead of ${code}`);
}
