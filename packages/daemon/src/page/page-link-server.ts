/**
 * Serves the document that the link of `plugboard ui` opens, on an unpredictable port. Another program may have used
 * the page's port before, and left a service worker or cached files in the browser. These would get the link with its
 * one-time code before the page does. So this document works in three steps:
 *
 * 1. It asks this server whether the code is still valid. If not, it skips the next step, which signs the browser out.
 * 2. It lets the ports of the page and of Apps clear their origins.
 * 3. It goes on to the page, with the code.
 */
import { createHash } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { HostError, isJsonObject, PAGE_CLEAR_PATH } from "@plugboard/contracts";
import type { Clock } from "@plugboard/contracts";
import { readJsonBody } from "../http/read-json-body.ts";
import { checkTcpOrigin, originHeaders } from "../http/check-origin.ts";
import type { FailedSignIns } from "../http/failed-sign-ins.ts";
import { limitConnections } from "../http/limit-connections.ts";
import { ROUTES } from "../http/routes.ts";
import { DrainingHttpServer } from "../http/draining-http-server.ts";
import type { AppSandbox } from "./app-sandbox.ts";
import type { PageSessions } from "./page-sessions.ts";

const MAX_CONNECTIONS = 64;

export interface PageLinkServerOptions {
  /** Returns the port of the page, once it is open. */
  readonly pagePort: () => number;
  readonly sandbox: Pick<AppSandbox, "origin">;
  readonly sessions: Pick<PageSessions, "accepts">;
  readonly failedSignIns: FailedSignIns;
  readonly clock: Clock;
}

export class PageLinkServer {
  readonly server = new DrainingHttpServer((request, response) => this.#handle(request, response));
  readonly #options: PageLinkServerOptions;

  constructor(options: PageLinkServerOptions) {
    this.#options = options;
    limitConnections(this.server.server, MAX_CONNECTIONS);
  }

  async listen(): Promise<void> {
    this.server.server.listen(0, "127.0.0.1");
    await once(this.server.server, "listening");
  }

  /** The origin, such as `http://127.0.0.1:40123`. Undefined if the server does not listen. */
  get origin(): string | undefined {
    const address = this.server.server.address() as AddressInfo | null;
    return address ? `http://127.0.0.1:${address.port}` : undefined;
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { socket, method, url } = request;
    const connection = { localPort: socket.localPort!, remoteAddress: socket.remoteAddress, publicOrigin: undefined };
    const checked = checkTcpOrigin(originHeaders(request), connection);
    if (checked instanceof HostError) throw checked;
    if (url !== "/") throw new HostError("NOT_FOUND", { subject: "file at this URL" });
    if (method === "POST") return this.#checkCode(request, response);
    if (method !== "GET") throw new HostError("NOT_FOUND", { subject: "file at this URL" });
    const { pagePort, sandbox } = this.#options;
    const origins = [`http://127.0.0.1:${pagePort()}`, await sandbox.origin];
    const script = scriptFor(origins);
    response.writeHead(200, headersFor(origins, script)).end(documentWith(script));
  }

  /** Answers whether the code in the request can still sign a browser in. Does not use the code up. */
  async #checkCode(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { sessions, failedSignIns, clock } = this.#options;
    // A stranger may have sent the request, so its connection ends with it.
    response.setHeader("connection", "close");
    const body = await readJsonBody(request, ROUTES.link.body, clock);
    const code = isJsonObject(body) ? body["code"] : undefined;
    if (typeof code !== "string" || !sessions.accepts(code)) throw failedSignIns.countAndMakeError(request);
    response.writeHead(204, { "cache-control": "no-store" }).end();
  }
}

/**
 * Returns the script of the document. `origins` begins with the page's origin. The script removes the code from the URL
 * before it sends requests.
 */
function scriptFor(origins: readonly string[]): string {
  return `"use strict";
const origins = ${JSON.stringify(origins)};
const { hash } = location;
history.replaceState(null, "", "/");
const clear = async (origin) => {
  const { ok } = await fetch(origin + "${PAGE_CLEAR_PATH}", { method: "POST", credentials: "include" });
  if (!ok) throw new Error("not cleared");
};
const isValid = async () => {
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ code: hash.slice("#code=".length) });
  return (await fetch("/", { method: "POST", headers, body })).ok;
};
isValid()
  .then((valid) => valid && Promise.all(origins.map(clear)))
  .then(() => location.replace(origins[0] + "/" + hash))
  .catch(() => (document.querySelector("p").textContent = "The page can’t be opened. Run plugboard ui again."));`;
}

function documentWith(script: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="color-scheme" content="light dark">
<title>Plugboard</title>
<p role="status">Opening the page…</p>
<script>${script}</script>
</html>
`;
}

function headersFor(origins: readonly string[], script: string) {
  const digest = createHash("sha256").update(script).digest("base64");
  const policy = [
    "default-src 'none'",
    `script-src 'sha256-${digest}'`,
    `connect-src ${origins.join(" ")} 'self'`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ];
  return {
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-store",
    "content-security-policy": policy.join("; "),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
  };
}
