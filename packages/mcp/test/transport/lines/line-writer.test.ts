import { LineWriter } from "#transport/lines/line-writer.js";
import { Writable } from "node:stream";
import { expect, it } from "vitest";

/** A stream that accepts writes only when the test allows it. */
class Reader extends Writable {
  readonly pieces: string[] = [];
  take: (() => void) | undefined;

  constructor(highWaterMark: number) {
    super({ decodeStrings: false, highWaterMark });
  }

  override _write(chunk: string, _encoding: string, taken: () => void): void {
    this.pieces.push(chunk);
    this.take = taken;
  }
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

it(
  "LineWriter writes the first line of a turn at once and the rest as one batch, and batches all lines of the turn after a batch",
  { meta: { covers: ["R0.15"] } },
  async () => {
    const reader = new Reader(1000);
    const lines = new LineWriter(reader);
    void lines.write("a");
    expect(reader.pieces).toEqual(["a\n"]);
    reader.take?.();
    void Promise.resolve().then(() => lines.write("b"));
    void lines.write("c");
    await turn();
    expect(reader.pieces).toEqual(["a\n", "c\nb\n"]);
    reader.take?.();
    void lines.write("d");
    expect(reader.pieces).toEqual(["a\n", "c\nb\n"]);
    await turn();
    expect(reader.pieces).toEqual(["a\n", "c\nb\n", "d\n"]);
    reader.take?.();
    void lines.write("e");
    expect(reader.pieces.at(-1)).toBe("e\n");
  },
);

it("LineWriter writes a long batch before the end of the turn", () => {
  const reader = new Reader(100_000);
  const lines = new LineWriter(reader);
  for (let count = 0; count < 100; count++) void lines.write("x".repeat(99));
  reader.take?.();
  expect(reader.pieces.map((piece) => piece.length)).toEqual([100, 2100]);
});

it("LineWriter.write returns undefined while the stream has room, and otherwise a promise for the write", async () => {
  const reader = new Reader(5);
  const lines = new LineWriter(reader);
  expect(lines.write("a")).toBeUndefined();
  let taken = false;
  const waits = lines.write("long")?.then(() => (taken = true));
  await turn();
  expect(taken).toBe(false);
  expect(lines.pendingLength).toBe(7);
  reader.take?.();
  await turn();
  expect(taken).toBe(false);
  reader.take?.();
  await waits;
  expect(lines.pendingLength).toBe(0);
});

it("LineWriter resolves all waiting writes when the stream closes, with a single listener", async () => {
  const reader = new Reader(1);
  const lines = new LineWriter(reader);
  const waits: Promise<void>[] = [];
  for (let count = 0; count < 20; count++) {
    waits.push(lines.write("x") ?? Promise.resolve());
    await turn();
  }
  expect(reader.listenerCount("drain")).toBe(1);
  reader.destroy();
  await Promise.all(waits);
  await lines.write("after the end");
});

it("LineWriter counts batched lines in `pendingLength`, and `flush` writes them", () => {
  const reader = new Reader(1000);
  const lines = new LineWriter(reader);
  void lines.write("first");
  void lines.write("last");
  expect(lines.pendingLength).toBe(11);
  reader.take?.();
  lines.flush();
  expect(reader.pieces).toEqual(["first\n", "last\n"]);
});
