/** Tools of the scripted server that ask the client something during the call, and some that do not wait for it. */
import { existsSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import type { LinePeer } from "./line-peer.ts";
import { elicit, noteAnswer, quote } from "./question.ts";
import { tool, type ToolCall, type Tools } from "./tool-call.ts";

export function askingTools(peer: LinePeer): Tools {
  return {
    ask: tool(async (call) => call.answer(`answer: ${quote(await elicit(peer).reply)}`)),

    ask_two: tool(async (call) => {
      const replies = await Promise.all([elicit(peer, "first").reply, elicit(peer, "second").reply]);
      call.answer(`answers: [${replies.map(quote).join(",")}]`);
    }),

    ask_sampling: tool(async (call) => {
      const messages = [{ role: "user", content: { type: "text", text: "Say something" } }];
      const reply = await peer.ask("sampling/createMessage", { messages, maxTokens: 10 }).reply;
      call.answer(JSON.stringify(reply));
    }),

    // Both finish after a time, or when a file appears.
    ask_and_finish: tool(
      async (call) => {
        const { reply } = elicit(peer);
        noteAnswer(() => (call.open ? "early answer" : "late answer"), reply);
        await timeToFinish(call);
        call.answer("finished without you");
      },
      {},
      WHEN,
    ),

    // Without `after_ms` the client gets the question, its withdrawal and the result in one go.
    ask_and_withdraw: tool(
      async (call) => {
        const { id, reply } = elicit(peer);
        noteAnswer(() => "late answer", reply);
        await timeToFinish(call);
        peer.notify("notifications/cancelled", { requestId: id, reason: "no longer needed" });
        call.answer("withdrawn");
      },
      {},
      WHEN,
    ),

    ask_and_die: tool(() => {
      elicit(peer);
      process.stderr.write("dying\n", () => process.exit(7));
    }),
  };
}

const WHEN = { after_ms: { type: "number" }, when_exists: { type: "string" } };

async function timeToFinish({ args }: ToolCall): Promise<void> {
  const file = args["when_exists"];
  if (typeof file !== "string") await delay(Number(args["after_ms"] ?? 0));
  else while (!existsSync(file)) await delay(10);
}
