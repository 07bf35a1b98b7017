/**
 * The formats that are checked: those of which ajv-formats' check takes time in
 * proportion to the text and refuses nothing that servers commonly take. All
 * others are hints, as the standard has it; the server is the judge.
 */
import { fastFormats, fullFormats } from "ajv-formats/dist/formats.js";

export const FORMATS = {
  date: fullFormats.date,
  // Many servers take a time without an offset.
  time: fullFormats["iso-time"],
  "date-time": fullFormats["iso-date-time"],
  duration: fullFormats.duration,
  email: fastFormats.email,
  hostname: fullFormats.hostname,
  ipv4: fullFormats.ipv4,
  ipv6: fullFormats.ipv6,
  // The full one refuses the letters of other scripts.
  uri: fastFormats.uri,
  uuid: fullFormats.uuid,
  "json-pointer": fullFormats["json-pointer"],
};
