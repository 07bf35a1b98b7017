/** Sends a JSON response, or an error as JSON. */
import type { ServerResponse } from "node:http";
import { ERROR_TABLE } from "@plugboard/contracts";
import type { HostError } from "@plugboard/contracts";

export function sendJson(response: ServerResponse, value: unknown, status = 200): void {
  if (response.headersSent || response.destroyed) return;
  // May throw, so it comes before the head, after which no error can be sent.
  const json = JSON.stringify(value);
  response.writeHead(status, { "content-type": "application/json" }).end(json);
}

export function sendError(response: ServerResponse, error: HostError): void {
  if (!response.headersSent) {
    if (error.code === "UNAUTHORIZED" && !response.hasHeader("www-authenticate")) {
      response.setHeader("www-authenticate", "Bearer");
    }
    if (isTooManyRequests(error)) response.setHeader("retry-after", Math.ceil(error.details.retryAfterMs / 1000));
  }
  sendJson(response, { error: error.toJSON() }, ERROR_TABLE[error.code].http);
}

function isTooManyRequests(error: HostError): error is HostError<"TOO_MANY_REQUESTS"> {
  return error.code === "TOO_MANY_REQUESTS";
}
