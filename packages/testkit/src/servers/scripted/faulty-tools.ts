/** Tools of the scripted server that break it, or the rules. */
import type { LinePeer } from "./line-peer.ts";
import { tool, type Tools } from "./tool-call.ts";

export function faultyTools(peer: LinePeer): Tools {
  return {
    crash: tool(() => {
      process.stderr.write("boom\n", () => process.exit(3));
    }),

    noise: tool((call) => {
      peer.writeLine("*** welcome, this line is not JSON ***");
      call.answer("made some noise");
    }),

    bad_envelope: tool((call) => {
      const result = { content: [{ type: "text", text: "both" }] };
      call.answerRaw({ result, error: { code: -32000, message: "both" } });
    }),
  };
}
