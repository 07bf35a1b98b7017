import { retryAfterMs } from "#transport/http/retry-after.js";
import { expect, it } from "vitest";

const NOW = Date.parse("Sun, 06 Nov 2033 08:49:37 GMT");

it.each<[string, string | string[] | undefined, number | undefined]>([
  ["seconds", "2", 2000],
  ["zero", "0", 0],
  ["a number with spaces around it", " 2 ", 2000],
  ["a fraction of a second", "1.5", 1500],
  ["a negative number as 0", "-5", 0],
  ["the seconds of a day", "86400", 86_400_000],
  ["a number that is too large", "9".repeat(400), Number.MAX_SAFE_INTEGER],
  ["an HTTP date", "Sun, 06 Nov 2033 08:49:47 GMT", 10_000],
  ["a date a day ahead", "Mon, 07 Nov 2033 08:49:37 GMT", 86_400_000],
  ["a date in the past as 0", "Sun, 06 Nov 2033 08:49:27 GMT", 0],
  ["a date in the RFC 850 format", "Sunday, 06-Nov-33 08:49:47 GMT", 10_000],
  ["a date in the asctime format", "Sun Nov  6 08:49:47 2033", 10_000],
  ["the first of several headers", ["3", "4"], 3000],
  ["a missing header as undefined", undefined, undefined],
  ["an empty value as undefined", "", undefined],
  ["a word as undefined", "soon", undefined],
  ["an incomplete date as undefined", "Sun, 06 Nox", undefined],
  ["a number with a word as undefined", "2 minutes", undefined],
  ["an ISO date as undefined", "2033-11-06", undefined],
])("retryAfterMs reads %s", { meta: { covers: ["F24"] } }, (_, value, ms) => {
  expect(retryAfterMs(value, NOW)).toBe(ms);
});
