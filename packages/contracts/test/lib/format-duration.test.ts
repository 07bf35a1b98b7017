import { formatDuration, formatMs } from "@plugboard/contracts";
import { expect, it } from "vitest";

it.each([
  [0, "0 s"],
  [-5, "0 s"],
  [4999, "4 s"],
  [125_000, "2 min 5 s"],
  [3_600_000 + 20 * 60_000, "1 h 20 min"],
  [2 * 86_400_000 + 4 * 3_600_000, "2 d 4 h"],
])("formatDuration formats %s ms as %s", (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

it.each([
  [0, "0 ms"],
  [0.42, "420 µs"],
  [3.12, "3.1 ms"],
  [27.4, "27 ms"],
  [1400, "1.4 s"],
  [185_000, "3 min 5 s"],
])("formatMs formats %s ms as %s", (ms, text) => {
  expect(formatMs(ms)).toBe(text);
});
