/** Tools of the scripted server that do as they should. */
import type { LinePeer } from "./line-peer.ts";
import { tool, type Tools } from "./tool-call.ts";

export function plainTools(peer: LinePeer): Tools {
  return {
    echo: tool((call) => call.answer(String(call.args["text"])), { text: { type: "string" } }),
    env: tool((call) => call.answer(JSON.stringify(Object.keys(process.env).sort()))),
    progress: tool(
      (call) => {
        const { progressToken } = call;
        if (progressToken === undefined) return call.answer("no progressToken was given", true);
        const total = Number(call.args["steps"]);
        for (let progress = 1; progress <= total; progress++) {
          peer.notify("notifications/progress", { progressToken, progress, total });
        }
        call.answer(`done in ${total} steps`);
      },
      { steps: { type: "integer" } },
    ),
  };
}
