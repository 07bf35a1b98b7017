/** Tools of the scripted server about calls in flight: one that stays there, and questions that belong to no call. */
import type { LinePeer } from "./line-peer.ts";
import { elicit, noteAnswer, quote } from "./question.ts";
import { tool, type ToolCall, type Tools } from "./tool-call.ts";

export function holdingTools(peer: LinePeer): Tools {
  const calls = new Set<ToolCall>();
  const held = () => [...calls].filter((call) => call.open);

  return {
    hold: tool((call) => {
      calls.add(call);
      process.stderr.write(`holding ${call.id}\n`);
    }),

    release: tool((call) => {
      for (const waiting of held()) waiting.answer("let go");
      call.answer("released");
    }),

    stray: tool((call) => {
      call.answer("ok");
      noteAnswer(() => "stray answer", elicit(peer).reply);
    }),

    stray_while_held: tool(async (call) => {
      if (held().length === 0) return call.answer("nothing is held", true);
      call.answer(`answer: ${quote(await elicit(peer).reply)}`);
    }),
  };
}
