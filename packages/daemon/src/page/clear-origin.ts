/**
 * Lets a document of this host on another port clear what the browser has stored for the origin of the request. Another
 * program may have used the port before and left a service worker or cached files, which would replace our documents.
 * A document of the same origin can't do it: such a worker could keep its request from us.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { HostError } from "@plugboard/contracts";

/** Answers the request, if `origin` is the one that it comes from. Throws FORBIDDEN for any other one. */
export function clearOrigin(request: IncomingMessage, response: ServerResponse, origin: string | undefined): void {
  if (origin === undefined || request.method !== "POST" || request.headers.origin !== origin) {
    throw new HostError("FORBIDDEN", { reason: "only a document of this host can clear the origin" });
  }
  response
    .writeHead(204, {
      "clear-site-data": '"cache", "storage"',
      "access-control-allow-origin": origin,
      "access-control-allow-credentials": "true",
      "cache-control": "no-store",
    })
    .end();
}
