import { OutputBuffer } from "@plugboard/testkit/output-buffer";
import { expect, it } from "vitest";

it("OutputBuffer finds text that is already there and text that arrives in chunks", async () => {
  const text = new OutputBuffer();
  text.append("one ");
  expect(await text.waitFor("one", 1_000)).toBe(3);
  const later = text.waitFor(/t\w+o/, 1_000, 3);
  for (const piece of ["t", "w", "o", "!"]) text.append(piece);
  expect(await later).toBe(7);
});

it("OutputBuffer finds a global pattern again, regardless of its lastIndex", async () => {
  const text = new OutputBuffer();
  text.append("aa");
  const pattern = /a/g;
  expect(await text.waitFor(pattern, 1_000)).toBe(1);
  expect(await text.waitFor(pattern, 1_000, 1)).toBe(2);
});

it("OutputBuffer shows the output so far when a wait fails", async () => {
  const text = new OutputBuffer();
  text.append("something else");
  await expect(text.waitFor("x", 10)).rejects.toThrow("10 ms passed before x appeared. Output so far:\nsomething else");
  text.close("it left");
  await expect(text.waitFor("x", 10_000)).rejects.toThrow("it left before x appeared");
});
