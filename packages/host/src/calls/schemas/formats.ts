/**
 * The formats that are checked: those with a linear check in ajv-formats that accepts what servers commonly accept.
 * Other formats are not checked, as the standard allows.
 */
import type { Format } from "ajv";
import { fastFormats, fullFormats } from "ajv-formats/dist/formats.js";

export const FORMATS = {
  date: bounded(fullFormats.date),
  // Many servers accept a time without an offset.
  time: bounded(fullFormats["iso-time"]),
  "date-time": bounded(fullFormats["iso-date-time"]),
  duration: bounded(fullFormats.duration),
  email: bounded(fastFormats.email),
  hostname: bounded(fullFormats.hostname),
  ipv4: bounded(fullFormats.ipv4),
  ipv6: bounded(fullFormats.ipv6),
  uuid: bounded(fullFormats.uuid),
  // The full check rejects non-ASCII letters.
  uri: fastFormats.uri,
  "json-pointer": fullFormats["json-pointer"],
};

/** Longer than any valid text of these formats. */
const MAX_LENGTH = 1_000;

/** Rejects long texts first, because some checks are linear but slow. */
function bounded(format: Format): (text: string) => boolean {
  const test = typeof format === "object" && "validate" in format ? format.validate : format;
  return (text) => {
    if (text.length > MAX_LENGTH) return false;
    return test instanceof RegExp ? test.test(text) : typeof test === "function" && test(text as never) === true;
  };
}
