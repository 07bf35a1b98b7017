import { retryAfterMs } from "#transport/http/retry-after.js";
import { expect, it } from "vitest";

const NOW = Date.parse("Sun, 06 Nov 2033 08:49:37 GMT");

it.each<[string, string | string[] | undefined, number | undefined]>([
  ["seconds", "2", 2000],
  ["no time at all", "0", 0],
  ["with space around it", " 2 ", 2000],
  ["part of a second", "1.5", 1500],
  ["a negative number, which is now", "-5", 0],
  ["a day", "86400", 86_400_000],
  ["more than a number holds", "9".repeat(400), Number.MAX_SAFE_INTEGER],
  ["a date", "Sun, 06 Nov 2033 08:49:47 GMT", 10_000],
  ["a date a day ahead", "Mon, 07 Nov 2033 08:49:37 GMT", 86_400_000],
  ["a date that has passed, which is now", "Sun, 06 Nov 2033 08:49:27 GMT", 0],
  ["a date as it was written long ago", "Sunday, 06-Nov-33 08:49:47 GMT", 10_000],
  ["a date as C writes it", "Sun Nov  6 08:49:47 2033", 10_000],
  ["the first of several", ["3", "4"], 3000],
  ["nothing", undefined, undefined],
  ["an empty value", "", undefined],
  ["words", "soon", undefined],
  ["a day of the week alone", "Sun, 06 Nox", undefined],
  ["a number with words", "2 minutes", undefined],
  ["what only programs take for a date", "2033-11-06", undefined],
])("reads Retry-After: %s", { meta: { covers: ["F24"] } }, (_, value, ms) => {
  expect(retryAfterMs(value, NOW)).toBe(ms);
});
