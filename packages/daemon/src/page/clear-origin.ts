/**
 * Tells the browser to clear what it has stored for this origin, when a document of this host on another port asks for
 * it. Another program may have used the port before and left a service worker or cached files, which would replace our
 * documents. A document of the same origin can't ask for it: such a worker could intercept the request.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { HostError } from "@plugboard/contracts";

/** Answers the request if it comes from `origin`. Throws FORBIDDEN if it comes from another origin. */
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
