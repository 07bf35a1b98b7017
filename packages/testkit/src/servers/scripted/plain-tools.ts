/** Tools of the scripted server that follow the protocol. */
import type { LinePeer } from "./line-peer.ts";
import { scriptedTool, type ScriptedTools } from "./scripted-call.ts";

export function plainTools(peer: LinePeer): ScriptedTools {
  return {
    echo: scriptedTool((call) => call.answer(String(call.args["text"])), { required: { text: { type: "string" } } }),
    env: scriptedTool((call) => call.answer(JSON.stringify(Object.keys(process.env).sort()))),
    progress: scriptedTool(
      (call) => {
        const { progressToken } = call;
        if (progressToken === undefined) return call.answer("no progressToken was given", true);
        const total = Number(call.args["steps"]);
        for (let progress = 1; progress <= total; progress++) {
          peer.notify("notifications/progress", { progressToken, progress, total });
        }
        call.answer(`done in ${total} steps`);
      },
      { required: { steps: { type: "integer" } } },
    ),
  };
}
