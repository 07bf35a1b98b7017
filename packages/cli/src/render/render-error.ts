/** Renders an error as text, or as JSON for programs. */
import { commandMessage, HostError, sanitize } from "@plugboard/contracts";
import type { HostErrorJson } from "@plugboard/contracts";
import { renderJson } from "../terminal/render-json.ts";

export function renderError(error: HostError | HostErrorJson, { json }: { readonly json?: boolean } = {}): string {
  const message = commandMessage(error);
  if (json) return renderJson({ error: { ...(error instanceof HostError ? error.toJSON() : error), message } });
  // The message of CANCELLED begins with "Cancelled", which the code says already.
  const { code, details } = error;
  const text = "reason" in details && code === "CANCELLED" ? `${String(details.reason)}.` : message;
  // A server's text may have several lines. Indented, none of them looks like a message of Plugboard.
  return `${code}: ${sanitize(text).trimEnd().replaceAll("\n", "\n    ")}\n`;
}
