/**
 * The formats that are checked: those of which ajv-formats' check takes time in
 * proportion to the text and refuses nothing that servers commonly take. All
 * others are hints, as the standard has it; the server is the judge.
 */
import type { Format } from "ajv";
import { fastFormats, fullFormats } from "ajv-formats/dist/formats.js";

export const FORMATS = {
  date: bounded(fullFormats.date),
  // Many servers take a time without an offset.
  time: bounded(fullFormats["iso-time"]),
  "date-time": bounded(fullFormats["iso-date-time"]),
  duration: bounded(fullFormats.duration),
  email: bounded(fastFormats.email),
  hostname: bounded(fullFormats.hostname),
  ipv4: bounded(fullFormats.ipv4),
  ipv6: bounded(fullFormats.ipv6),
  uuid: bounded(fullFormats.uuid),
  // The full one refuses the letters of other scripts.
  uri: fastFormats.uri,
  "json-pointer": fullFormats["json-pointer"],
};

/** Longer than any text of such a format. */
const MAX_LENGTH = 1_000;

/** Some of the checks take a text apart, which is linear but slow. */
function bounded(format: Format): (text: string) => boolean {
  const test = typeof format === "object" && "validate" in format ? format.validate : format;
  return (text) => {
    if (text.length > MAX_LENGTH) return false;
    return test instanceof RegExp ? test.test(text) : typeof test === "function" && test(text as never) === true;
  };
}
