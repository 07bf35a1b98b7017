/** An error for the person at the terminal, or as JSON for a program that reads it. */
import { HostError, sanitize } from "@plugboard/contracts";
import type { HostErrorJson } from "@plugboard/contracts";
import { renderJson } from "./render-json.ts";

export function renderError(error: HostError | HostErrorJson, json: boolean): string {
  if (json) return renderJson({ error: error instanceof HostError ? error.toJSON() : error });
  // Its message begins with the word that the code says already.
  const { code, message, details } = error;
  const text = "reason" in details && code === "CANCELLED" ? `${String(details.reason)}.` : message;
  return `${code}: ${sanitize(text)}\n`;
}
