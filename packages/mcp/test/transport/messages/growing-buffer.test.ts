import { GrowingBuffer } from "#transport/messages/growing-buffer.js";
import { expect, it } from "vitest";

it("GrowingBuffer accepts as many bytes as the limit allows, and not one more", () => {
  const buffer = new GrowingBuffer(5);
  expect(buffer.append(Buffer.from("abc"))).toBe(true);
  expect(buffer.append(Buffer.from("def"))).toBe(false);
  expect(buffer.append(Buffer.from("de"))).toBe(true);
  expect(buffer.take().toString()).toBe("abcde");
  expect(buffer.length).toBe(0);
});

it("GrowingBuffer returns bytes that later appends do not change", () => {
  const buffer = new GrowingBuffer(10);
  buffer.append(Buffer.from("first"));
  const taken = buffer.take();
  buffer.append(Buffer.from("other"));
  expect(taken.toString()).toBe("first");
});
