/** Tools of the scripted server that send a request to the client during a call. */
import type { LinePeer } from "./line-peer.ts";
import { elicit, logAnswer, formatReply } from "./elicit.ts";
import { scriptedTool, type ScriptedTools } from "./scripted-call.ts";
import { FINISH_ARGUMENTS, waitToFinish } from "./wait-to-finish.ts";

export function clientRequestTools(peer: LinePeer): ScriptedTools {
  return {
    ask: scriptedTool(async (call) => call.answer(`answer: ${formatReply(await elicit(peer).reply)}`)),

    ask_two: scriptedTool(async (call) => {
      const replies = await Promise.all([elicit(peer, "first").reply, elicit(peer, "second").reply]);
      call.answer(`answers: [${replies.map(formatReply).join(",")}]`);
    }),

    ask_sampling: scriptedTool(async (call) => {
      const messages = [{ role: "user", content: { type: "text", text: "Say something" } }];
      const reply = await peer.request("sampling/createMessage", { messages, maxTokens: 10 }).reply;
      call.answer(JSON.stringify(reply));
    }),

    // This tool and the next finish after `after_ms`, or when the file `when_exists` appears.
    ask_and_finish: scriptedTool(
      async (call) => {
        const { reply } = elicit(peer);
        logAnswer(() => (call.open ? "early answer" : "late answer"), reply);
        await waitToFinish(call);
        call.answer("finished without you");
      },
      { optional: FINISH_ARGUMENTS },
    ),

    // Without `after_ms` the client gets the request, its cancellation and the result at once.
    ask_and_withdraw: scriptedTool(
      async (call) => {
        const { id, reply } = elicit(peer);
        logAnswer(() => "late answer", reply);
        await waitToFinish(call);
        peer.notify("notifications/cancelled", { requestId: id, reason: "no longer needed" });
        call.answer("withdrawn");
      },
      { optional: FINISH_ARGUMENTS },
    ),

    ask_and_die: scriptedTool(() => {
      elicit(peer);
      process.stderr.write("dying\n", () => process.exit(7));
    }),
  };
}
