/** Tests the output of commands: text from servers can't control the terminal, and styles appear only on a terminal. */
import { PassThrough } from "node:stream";
import { LiveLine } from "#terminal/live-line.js";
import { Output } from "#terminal/output.js";
import { styled } from "#terminal/text.js";
import { describe, expect, it, vi } from "vitest";

function makeOutput({ isTTY = true, env = {} } = {}) {
  const stream = Object.assign(new PassThrough(), { isTTY, columns: 40 });
  const liveLine = new LiveLine(stream);
  return { output: new Output(stream, { env, liveLine }), liveLine, written: () => String(stream.read() ?? "") };
}

describe("Output", () => {
  it("shows escape sequences of servers as text, also inside styled text", { meta: { covers: ["A7"] } }, () => {
    const { output, written } = makeOutput();
    output.write(["a\u001b[2Jb", styled("red", "c\u001b[0md")]);
    expect(written()).toBe("a<U+001B>[2Jb\u001b[31mc<U+001B>[0md\u001b[39m");
  });

  it.each([{ isTTY: false }, { env: { NO_COLOR: "1" } }, { env: { TERM: "dumb" } }])(
    "uses no color with %j",
    (options) => {
      const { output, written } = makeOutput(options);
      output.write(styled("red", "x"));
      expect(written()).toBe("x");
    },
  );

  it("keeps a result in a pipe as it is, and sanitizes it on a terminal", () => {
    const piped = makeOutput({ isTTY: false });
    piped.output.content("\u001b[1m");
    expect(piped.written()).toBe("\u001b[1m");
    const shown = makeOutput();
    shown.output.content("\u001b[1m");
    expect(shown.written()).toBe("<U+001B>[1m");
  });
});

describe("LiveLine", () => {
  it("appears after a delay, fits the terminal, and is erased by other output", () => {
    vi.useFakeTimers();
    const { output, liveLine, written } = makeOutput();
    const stop = liveLine.show(() => `starting ${"x".repeat(60)}\u001b[2J`);
    expect(written()).toBe("");
    vi.advanceTimersByTime(250);
    expect(written()).toBe(`starting ${"x".repeat(29)}…`);
    output.write("done\n");
    expect(written()).toBe("\r\u001b[2Kdone\n");
    stop();
    vi.advanceTimersByTime(1000);
    expect(written()).toBe("");
    vi.useRealTimers();
  });

  it("stays silent while a prompt uses the terminal", () => {
    vi.useFakeTimers();
    const { liveLine, written } = makeOutput();
    liveLine.show(() => "waiting");
    const resume = liveLine.pause();
    vi.advanceTimersByTime(1000);
    expect(written()).toBe("");
    resume();
    vi.advanceTimersByTime(300);
    expect(written()).toBe("waiting");
    vi.useRealTimers();
  });
});
