/**
 * Answers a browser that looks for a new version of a service worker. Plugboard has no worker, so a program that used
 * the port before has registered it, such as a development server. The script sent here unregisters itself and reloads
 * the open tabs, which then have no worker.
 */
import type { IncomingMessage, ServerResponse } from "node:http";

const SCRIPT = `self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(retire()));
async function retire() {
  await self.registration.unregister();
  for (const tab of await self.clients.matchAll({ type: "window" })) await tab.navigate(tab.url);
}
`;

/** Returns false if the request is not for the script of a worker. */
export function retireWorker(request: IncomingMessage, response: ServerResponse): boolean {
  if (request.headers["service-worker"] !== "script") return false;
  response
    .writeHead(200, {
      "content-type": "text/javascript; charset=utf-8",
      "cache-control": "no-store",
      // The other program may have left files in the cache, too.
      "clear-site-data": '"cache"',
      // Allows every scope, because the old worker may have had a wider scope than its folder.
      "service-worker-allowed": "/",
    })
    .end(SCRIPT);
  return true;
}
