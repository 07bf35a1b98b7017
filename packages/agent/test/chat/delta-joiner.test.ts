/** Tests that deltas are joined for a short time. */
import type { ChatEvent } from "@plugboard/contracts";
import { DeltaJoiner } from "#chat/delta-joiner.js";
import { expect, it } from "vitest";
import { ManualClock } from "../../../contracts/test/helpers/manual-clock.ts";

function open() {
  const [clock, events] = [new ManualClock(), [] as ChatEvent[]];
  const joiner = new DeltaJoiner(
    (ms, run) => clock.after(ms, run),
    (event) => events.push(event),
  );
  return { clock, events, joiner };
}

const text = (value: string) => ({ type: "text.delta", text: value }) as const;
const reasoning = (value: string) => ({ type: "reasoning.delta", text: value }) as const;

it("joins deltas of one type for 40 ms", () => {
  const { clock, events, joiner } = open();
  joiner.add(text("a"));
  clock.advance(39);
  joiner.add(text("b"));
  expect(events).toEqual([]);
  clock.advance(1);
  expect(events).toEqual([text("ab")]);
  joiner.add(text("c"));
  expect(clock.pendingTimers).toBe(1);
  clock.advance(39);
  expect(events).toHaveLength(1);
  clock.advance(1);
  expect(events).toEqual([text("ab"), text("c")]);
});

it("emits the deltas of another type, and other events, in order", () => {
  const { clock, events, joiner } = open();
  joiner.add(reasoning("a"));
  joiner.add(reasoning("b"));
  joiner.add(text("c"));
  expect(events).toEqual([reasoning("ab")]);
  joiner.add({ type: "cleared" });
  expect(events).toEqual([reasoning("ab"), text("c"), { type: "cleared" }]);
  expect(clock.pendingTimers).toBe(0);
  joiner.flush();
  expect(events).toHaveLength(3);
});
