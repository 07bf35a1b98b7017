/** An error for the person at the terminal, or as JSON for a program that reads it. */
import { sanitise } from "@plugboard/contracts";
import type { HostError } from "@plugboard/contracts";
import { renderJson } from "./json.ts";

export function renderError(error: HostError, json: boolean): string {
  if (json) return renderJson({ error: error.toJSON() });
  // Its message begins with the word that the code says already.
  const says = "reason" in error.details && error.code === "CANCELLED" ? `${error.details.reason}.` : error.message;
  return `${error.code}: ${sanitise(says)}\n`;
}
