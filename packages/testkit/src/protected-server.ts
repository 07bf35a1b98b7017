/**
 * An MCP server of the official package on loopback, in this process, that requires an access token. It accepts tokens
 * of one authorization server for its own resource, and publishes the metadata for a login. Its tools are `whoami`,
 * `add` and `admin`, which needs the scope `admin`. A test sees every request with its authorization.
 *
 *     const server = await startProtectedServer(as);
 *     createHost({ servers: { x: { url: server.url } } });
 *     expect(server.authorizations).toContain("Bearer …");
 */
import { type NodeIncomingMessageLike, toNodeHandler } from "@modelcontextprotocol/node";
import {
  createMcpHandler,
  getOAuthProtectedResourceMetadataUrl,
  legacyStatelessFallback,
  McpServer,
  type OAuthMetadata,
  oauthMetadataResponse,
  requireBearerAuth,
  requireScopes,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import type { AuthorizationServer } from "./authorization-server.ts";
import { newNonce, requireDpop } from "./protected-server/require-dpop.ts";
import { tokenVerifier } from "./protected-server/token-verifier.ts";
import { type Recording, startRecordingHttp } from "./recording-http.ts";

export interface ProtectedServerOptions {
  /** The eras that the server supports. Defaults to both. */
  readonly eras?: "both" | "modern" | "legacy";
  /** The scopes that every request needs. Defaults to `mcp`. */
  readonly scopes?: readonly string[];
  readonly path?: string;
  /** Accepts only DPoP-bound tokens; `nonce` also requires a nonce. */
  readonly dpop?: boolean | "nonce";
}

export interface ProtectedServer extends Recording {
  /** The URL of the server, which is also the resource of its tokens. */
  readonly url: string;
  /** The distinct authorization headers that it received. */
  readonly authorizations: readonly string[];
  /** Requires a new nonce from now on. */
  changeNonce(): void;
}

export async function startProtectedServer(
  as: AuthorizationServer,
  { eras = "both", scopes = ["mcp"], path = "/mcp", dpop = false }: ProtectedServerOptions = {},
): Promise<ProtectedServer> {
  const oauthMetadata = (await (
    await fetch(`${as.issuer}/.well-known/oauth-authorization-server`)
  ).json()) as OAuthMetadata;
  const handler =
    eras === "legacy"
      ? { fetch: legacyStatelessFallback(makeServer) }
      : createMcpHandler(makeServer, { legacy: eras === "both" ? "stateless" : "reject" });
  let url = "";
  let nonce = newNonce();

  const recording = await startRecordingHttp((origin) => {
    url = origin + path;
    const resourceServerUrl = new URL(url);
    const authorizeToken = requireBearerAuth({
      verifier: tokenVerifier(as, oauthMetadata),
      requiredScopes: [...scopes],
      resourceMetadataUrl: getOAuthProtectedResourceMetadataUrl(resourceServerUrl),
      expectedResource: resourceServerUrl,
    });
    const dpopOptions = { authorize: authorizeToken, url, nonce: () => (dpop === "nonce" ? nonce : undefined) };
    const authorize = dpop === false ? authorizeToken : requireDpop(dpopOptions);
    const metadata = { oauthMetadata, resourceServerUrl, scopesSupported: ["mcp", "admin"] };
    const serve = async (request: Request): Promise<Response> => {
      // `oauthMetadataResponse` would also serve the authorization server's metadata, which this server does not have.
      const isAuthorizationServerMetadata = new URL(request.url).pathname === "/.well-known/oauth-authorization-server";
      if (isAuthorizationServerMetadata) return new Response(null, { status: 404 });
      const metadataResponse = oauthMetadataResponse(request, metadata);
      if (metadataResponse) return metadataResponse;
      const authInfo = await authorize(request);
      return authInfo instanceof Response ? authInfo : handler.fetch(request, { authInfo });
    };
    const handle = toNodeHandler({ fetch: serve });
    return (request, response) => handle(request as NodeIncomingMessageLike, response);
  });
  as.addResource(url);

  return {
    ...recording,
    url,
    changeNonce: () => void (nonce = newNonce()),
    get authorizations() {
      return [...new Set(recording.requests.flatMap(({ headers }) => headers.authorization ?? []))];
    },
  };
}

function makeServer(): McpServer {
  const server = new McpServer({ name: "protected", version: "1.0.0" });
  const sum = z.object({ a: z.number(), b: z.number() });
  server.registerTool("add", { inputSchema: sum }, ({ a, b }) => textResult(String(a + b)));
  server.registerTool("admin", { scopeChallenge: requireScopes("admin") }, () => textResult("as you wish"));
  server.registerTool("whoami", {}, ({ http }) => {
    const { clientId, scopes = [], extra } = http?.authInfo ?? {};
    return textResult(JSON.stringify({ sub: extra?.["sub"], client_id: clientId, scope: scopes.join(" ") }));
  });
  return server;
}

function textResult(text: string) {
  return { content: [{ type: "text" as const, text }] };
}
