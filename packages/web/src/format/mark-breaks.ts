/** Makes hidden characters and the ends of lines visible, so that one text of several lines can't look like several texts. */
import { sanitize } from "@plugboard/contracts";

export function markBreaks(text: string): string {
  return sanitize(text).replaceAll("\n", "⏎\n");
}
