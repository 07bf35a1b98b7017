/** Tools that write raw output. */
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import type { RpcObject, LinePeer } from "../scripted/line-peer.ts";
import { formatReply } from "../scripted/elicit.ts";
import { scriptedTool, type ScriptedTools } from "../scripted/scripted-call.ts";

const NUMBER = { type: "number" };

export function rawOutputTools(peer: LinePeer, toolListCount: () => number): ScriptedTools {
  return {
    // Writes exactly the given text, with `$ID` replaced by the id of the call, even if the call is cancelled.
    // Then writes `wrote <id>` to stderr.
    write_raw: scriptedTool(
      async ({ id, args }) => {
        const bytes = Buffer.from(String(args["text"]).replaceAll("$ID", JSON.stringify(id)));
        const step = Number(args["bytes_at_once"] ?? bytes.length);
        for (let offset = 0; offset < bytes.length; offset += step) {
          process.stdout.write(bytes.subarray(offset, offset + step));
          await delay(Number(args["every_ms"] ?? 0));
        }
        process.stderr.write(`wrote ${JSON.stringify(id)}\n`);
      },
      { required: { text: { type: "string" } }, optional: { bytes_at_once: NUMBER, every_ms: NUMBER } },
    ),

    // Writes the given number of bytes and then a line feed. Without a number it never ends.
    flood: scriptedTool(
      async ({ args }) => {
        const block = Buffer.alloc(64 * 1024, "x");
        for (let remaining = Number(args["bytes"] ?? Infinity); remaining > 0; remaining -= block.length) {
          if (!process.stdout.write(block)) await once(process.stdout, "drain");
        }
        process.stdout.write("\n");
      },
      { optional: { bytes: NUMBER } },
    ),

    // Sends list_changed the given number of times.
    announce: scriptedTool(
      (call) => {
        const changed = '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n';
        process.stdout.write(changed.repeat(Number(call.args["times"])));
        call.answer("announced");
      },
      { required: { times: NUMBER } },
    ),

    // Returns how often the client has listed the tools.
    count_tool_lists: scriptedTool((call) => call.answer(String(toolListCount()))),

    // Sends any request to the client and returns the response.
    send_request: scriptedTool(
      async (call) => {
        const { method, params = {} } = call.args;
        call.answer(formatReply(await peer.request(String(method), params as RpcObject).reply));
      },
      { required: { method: { type: "string" } }, optional: { params: { type: "object" } } },
    ),

    // Reports progress until it is cancelled.
    progress_forever: scriptedTool(async (call) => {
      for (let progress = 1; call.open; progress++) {
        peer.notify("notifications/progress", { progressToken: call.progressToken, progress });
        await delay(10);
      }
    }),
  };
}
