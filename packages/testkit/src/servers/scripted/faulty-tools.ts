/** Tools of the scripted server that crash it or break the protocol. */
import type { LinePeer } from "./line-peer.ts";
import { scriptedTool, type ScriptedTools } from "./scripted-call.ts";

export function faultyTools(peer: LinePeer): ScriptedTools {
  return {
    crash: scriptedTool(() => {
      process.stderr.write("boom\n", () => process.exit(3));
    }),

    noise: scriptedTool((call) => {
      peer.writeLine("*** welcome, this line is not JSON ***");
      call.answer("made some noise");
    }),

    bad_envelope: scriptedTool((call) => {
      const result = { content: [{ type: "text", text: "both" }] };
      call.answerRaw({ result, error: { code: -32000, message: "both" } });
    }),
  };
}
