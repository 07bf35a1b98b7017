/** Tests that writes never overlap, and that each request waits for a write that begins after the request. */
import { RepeatedWrite } from "#chats/repeated-write.js";
import { expect, it } from "vitest";

/** Each write of `state.value` ends when the test calls its function in `ends`. An argument makes the write fail. */
function setup() {
  const written: number[] = [];
  const ends: ((error?: Error) => void)[] = [];
  const errors: unknown[] = [];
  const state = { value: 0 };
  const write = () => {
    const { value } = state;
    return new Promise<void>((resolve, reject) => {
      ends.push((error) => {
        if (error) return reject(error);
        written.push(value);
        resolve();
      });
    });
  };
  return { state, written, ends, errors, writes: new RepeatedWrite(write, (thrown) => errors.push(thrown)) };
}

const tick = () => new Promise((resolve) => setImmediate(resolve));

it("RepeatedWrite writes all changes that are made during a write with one further write", async () => {
  const { state, written, ends, writes } = setup();
  state.value = 1;
  const first = writes.request();
  await tick();
  const later = [2, 3, 4].map((value) => {
    state.value = value;
    return writes.request();
  });
  await tick();
  expect(ends).toHaveLength(1);
  ends[0]!();
  await first;
  await tick();
  expect(ends).toHaveLength(2);
  ends[1]!();
  await Promise.all(later);
  expect(written).toEqual([1, 4]);
});

it("RepeatedWrite reports a failed write and goes on with the next", async () => {
  const { state, written, ends, errors, writes } = setup();
  const first = writes.request();
  await tick();
  ends[0]!(new Error("the disk is full"));
  await first;
  expect(errors).toEqual([new Error("the disk is full")]);
  state.value = 7;
  const second = writes.request();
  await tick();
  ends[1]!();
  await second;
  expect(written).toEqual([7]);
});
