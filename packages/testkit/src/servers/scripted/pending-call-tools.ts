/** Tools of the scripted server for calls that stay pending, and for requests that belong to no call. */
import type { LinePeer } from "./line-peer.ts";
import { elicit, logAnswer, formatReply } from "./elicit.ts";
import { scriptedTool, type ScriptedCall, type ScriptedTools } from "./scripted-call.ts";
import { FINISH_ARGUMENTS, waitToFinish } from "./wait-to-finish.ts";

export function pendingCallTools(peer: LinePeer): ScriptedTools {
  const calls = new Set<ScriptedCall>();
  const openCalls = () => [...calls].filter((call) => call.open);

  return {
    // Without an argument, the call is held until `release` is called.
    hold: scriptedTool(
      async (call) => {
        calls.add(call);
        process.stderr.write(`holding ${call.id}\n`);
        if (!Object.keys(FINISH_ARGUMENTS).some((name) => name in call.args)) return;
        await waitToFinish(call);
        call.answer("let go");
      },
      { optional: FINISH_ARGUMENTS },
    ),

    release: scriptedTool((call) => {
      for (const waiting of openCalls()) waiting.answer("let go");
      call.answer("released");
    }),

    // Asks when its call has ended, so the question belongs to no call.
    ask_after_result: scriptedTool((call) => {
      call.answer("ok");
      logAnswer(() => "unattributed answer", elicit(peer).reply);
    }),

    // Asks while another call is held, so the client can't tell which call the question belongs to.
    ask_while_held: scriptedTool(async (call) => {
      if (openCalls().length === 0) return call.answer("nothing is held", true);
      call.answer(`answer: ${formatReply(await elicit(peer).reply)}`);
    }),
  };
}
