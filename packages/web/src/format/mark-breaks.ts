/** Makes hidden characters and line breaks visible, so that a text of several lines can't look like several texts. */
import { sanitize } from "@plugboard/contracts";

export function markBreaks(text: string): string {
  return sanitize(text).replaceAll("\n", "⏎\n");
}
