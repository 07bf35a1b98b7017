/** Tests which text the live line shows, and when. */
import { LiveLine } from "#terminal/live-line.js";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function makeLiveLine({ isDumb = false, columns = 40, isTTY = true } = {}) {
  const writes: string[] = [];
  const stream = { isTTY, columns, write: (text: string) => writes.push(text) };
  return { liveLine: new LiveLine(stream, { isDumb }), writes };
}

describe("LiveLine", () => {
  it("shows a text within 300 ms, and erases it when the text is no longer needed", () => {
    const { liveLine, writes } = makeLiveLine();
    const stop = liveLine.show(() => "starting github …");
    vi.advanceTimersByTime(300);
    expect(writes).toEqual(["starting github …"]);
    stop();
    expect(writes).toEqual(["starting github …", "\r\u001b[2K"]);
  });

  it("does not draw an unchanged text again", () => {
    const { liveLine, writes } = makeLiveLine();
    liveLine.show(() => "waiting");
    vi.advanceTimersByTime(5000);
    expect(writes).toEqual(["waiting"]);
  });

  it("shows the latest fallback only while no other text is shown", () => {
    const { liveLine, writes } = makeLiveLine();
    liveLine.show(() => "opening …", { isFallback: true });
    liveLine.show(() => "working …", { isFallback: true });
    const stop = liveLine.show(() => "starting github …");
    vi.advanceTimersByTime(300);
    stop();
    vi.advanceTimersByTime(300);
    expect(writes.filter((text) => !text.startsWith("\r"))).toEqual(["starting github …", "working …"]);
  });

  it("shortens the text to the width of the terminal, also for wide characters", () => {
    const { liveLine, writes } = makeLiveLine({ columns: 11 });
    liveLine.show(() => "起動中起動中起動中");
    vi.advanceTimersByTime(300);
    expect(writes).toEqual(["起動中起…"]);
  });

  it("writes plain lines to a dumb terminal, and only now and then", () => {
    const { liveLine, writes } = makeLiveLine({ isDumb: true });
    let seconds = 0;
    const stop = liveLine.show(() => `starting github … ${seconds} s`);
    for (; seconds < 11; seconds++) vi.advanceTimersByTime(1000);
    stop();
    expect(writes).toEqual(["starting github … 0 s\n", "starting github … 10 s\n"]);
  });

  it("stays hidden until every pause has ended", () => {
    const { liveLine, writes } = makeLiveLine();
    liveLine.show(() => "waiting");
    const [endFirst, endSecond] = [liveLine.pause(), liveLine.pause()];
    endFirst();
    endFirst();
    vi.advanceTimersByTime(1000);
    expect(writes).toEqual([]);
    endSecond();
    vi.advanceTimersByTime(300);
    expect(writes).toEqual(["waiting"]);
  });

  it("writes nothing without a terminal", () => {
    const { liveLine, writes } = makeLiveLine({ isTTY: false });
    liveLine.show(() => "waiting");
    vi.advanceTimersByTime(1000);
    expect(writes).toEqual([]);
  });
});
