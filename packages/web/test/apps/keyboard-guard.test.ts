/** Tests when the frame of an App gets input while the user types. `apps.test.ts` does the same in a browser. */
import { guardKeyboard } from "#apps/use-keyboard-guard.js";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

class Field {
  focused = 0;
  focus() {
    this.focused++;
    page.activeElement = this;
  }
}
class TextArea extends Field {}
class Input extends Field {}

const body = {};
let page: EventTarget & { activeElement: unknown };
let view: EventTarget & { focus: () => void; focused: number };
let frame: { inert: boolean; blurred: number; blur: () => void; getBoundingClientRect: () => object };

beforeEach(() => {
  vi.useFakeTimers();
  page = Object.assign(new EventTarget(), { activeElement: body });
  view = Object.assign(new EventTarget(), { focused: 0, focus: () => void view.focused++ });
  frame = {
    inert: false,
    blurred: 0,
    blur: () => void frame.blurred++,
    getBoundingClientRect: () => ({ left: 10, right: 110, top: 20, bottom: 220 }),
  };
  vi.stubGlobal("document", page);
  vi.stubGlobal("window", view);
  vi.stubGlobal("HTMLTextAreaElement", TextArea);
  vi.stubGlobal("HTMLInputElement", Input);
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

function start(ref: { current: unknown } = { current: frame }) {
  const stolen = vi.fn<() => void>();
  const end = guardKeyboard(ref as Parameters<typeof guardKeyboard>[0], stolen);
  return { stolen, end };
}
const emit = (type: string, details: object = {}) => page.dispatchEvent(Object.assign(new Event(type), details));
const focus = (element: unknown) => {
  page.activeElement = element;
  emit("focusin");
};
const move = (clientX: number, clientY: number, [movementX, movementY] = [1, 0], type = "pointermove") =>
  emit(type, { clientX, clientY, movementX, movementY });
/** Simulates what a browser reports when the App takes the focus. */
const steal = () => {
  page.activeElement = frame;
  view.dispatchEvent(new Event("blur"));
};

describe("the guard of the keyboard", () => {
  it.each([new TextArea(), new Input()])("keeps input from the App while a text field has the focus", (field) => {
    start();
    expect(frame.inert).toBe(false);
    focus(field);
    expect(frame.inert).toBe(true);
    focus(body);
    expect(frame.inert).toBe(false);
  });

  it("looks at the focus already when it starts, and no longer after it has ended", () => {
    page.activeElement = new Input();
    const { end } = start();
    expect(frame.inert).toBe(true);
    end();
    focus(body);
    expect(frame.inert).toBe(true);
  });

  it("gives the App input when the user presses Tab, and takes it back with another key", () => {
    start();
    focus(new Input());
    emit("keydown", { key: "Tab" });
    expect(frame.inert).toBe(false);
    emit("keydown", { key: "a" });
    expect(frame.inert).toBe(true);
  });

  it.each<[number, number, boolean]>([
    [10, 20, true],
    [110, 220, true],
    [60, 100, true],
    [9, 100, false],
    [111, 100, false],
    [60, 19, false],
    [60, 221, false],
  ])("gives the App input if the pointer moves over its frame; at %d, %d: %s", (x, y, isInside) => {
    start();
    focus(new Input());
    move(x, y);
    expect(frame.inert).toBe(!isInside);
  });

  it("ignores a pointer that rests over the frame, but not one that is pressed or moves in any direction", () => {
    start();
    const isInertAfter = (movement: [number, number], type?: string) => {
      focus(new Input());
      move(60, 100, movement, type);
      return frame.inert;
    };
    expect(isInertAfter([0, 0])).toBe(true);
    expect(isInertAfter([1, 0])).toBe(false);
    expect(isInertAfter([0, 1])).toBe(false);
    expect(isInertAfter([-2, 0])).toBe(false);
    expect(isInertAfter([0, 0], "pointerdown")).toBe(false);
  });

  it("returns the focus to the text field when the App takes it, and reports the third such theft", () => {
    const { stolen } = start();
    const field = new Input();
    focus(field);
    for (const thefts of [1, 2, 3]) {
      steal();
      expect(field.focused).toBe(thefts - 1);
      vi.runAllTimers();
      expect(field.focused).toBe(thefts);
      expect([frame.blurred, view.focused]).toEqual([thefts, thefts]);
      expect(stolen).toHaveBeenCalledTimes(thefts === 3 ? 1 : 0);
    }
  });

  it("counts no theft if the App may have input, or if something other than the App takes the focus", () => {
    const { stolen } = start();
    focus(new Input());
    for (let index = 0; index < 5; index++) {
      page.activeElement = body;
      view.dispatchEvent(new Event("blur"));
    }
    focus(body);
    for (let index = 0; index < 5; index++) steal();
    vi.runAllTimers();
    expect(stolen).not.toHaveBeenCalled();
    expect(frame.blurred).toBe(0);
  });

  it("returns the focus to the text field that had it last", () => {
    start();
    const [first, second] = [new Input(), new TextArea()];
    focus(first);
    focus(second);
    emit("keydown", { key: "a" });
    steal();
    vi.runAllTimers();
    expect([first.focused, second.focused]).toEqual([0, 1]);
  });

  it("does nothing without a frame", () => {
    const { stolen } = start({ current: null });
    focus(new Input());
    move(60, 100);
    steal();
    vi.runAllTimers();
    expect(view.focused).toBe(0);
    expect(stolen).not.toHaveBeenCalled();
  });

  it("hears an event before the page can stop it", () => {
    const add = vi.spyOn(page, "addEventListener");
    start();
    for (const type of ["focusin", "keydown", "pointermove", "pointerdown"])
      expect(add).toHaveBeenCalledWith(type, expect.anything(), expect.objectContaining({ capture: true }));
  });
});
