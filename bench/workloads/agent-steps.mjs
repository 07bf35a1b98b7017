// @ts-check
/**
 * Measures the median time between two points of an agent's step, in ms: from the model's answer to the tool call, or
 * from the tool's result to the next request. A turn has many steps, so the history grows. The answers come from a
 * function in place of `fetch`, so the time contains the SDK of the provider, but no network.
 */
import { openModel, runTurn } from "@plugboard/agent";
import { median } from "../stats.mjs";

/** @type {import("./workload.mjs").Begin} */
export async function begin(_entry, { calls = 1, tools: toolCount = 1, until }) {
  /** @type {{ answered: number[], called: number[], returned: number[], requested: number[] }} */
  let times = { answered: [], called: [], returned: [], requested: [] };
  const model = await openModel({
    option: { model: "anthropic/scripted" },
    env: { ANTHROPIC_API_KEY: "key" },
    fetch: async () => {
      times.requested.push(performance.now());
      const step = times.requested.length;
      const bytes = new TextEncoder().encode(step <= calls ? callAnswer(step) : TEXT_ANSWER);
      const body = new ReadableStream({
        start(controller) {
          controller.enqueue(bytes);
          controller.close();
        },
      });
      times.answered.push(performance.now());
      return new Response(body, { headers: { "content-type": "text/event-stream" } });
    },
  });
  const definitions = Array.from({ length: toolCount }, (_, at) => definition(`tool_${at}`));
  const tools = {
    list: () => definitions,
    call: async () => {
      times.called.push(performance.now());
      await new Promise((resolve) => setImmediate(resolve));
      times.returned.push(performance.now());
      return "a result of the tool, as long as a line";
    },
  };
  return {
    async round() {
      times = { answered: [], called: [], returned: [], requested: [] };
      let reason = "";
      for await (const event of runTurn({ model, tools, prompt: "Work", limits: { steps: calls + 1 } })) {
        if (event.type === "turn.finished") reason = event.reason;
      }
      if (reason !== "done" || times.called.length !== calls) throw new Error(`a wrong turn: ${reason}`);
      const { answered, called, returned, requested } = times;
      return median(until === "call" ? differences(answered, called) : differences(returned, requested.slice(1)));
    },
    end: async () => {},
  };
}

/**
 * @param {readonly number[]} from
 * @param {readonly number[]} to
 */
function differences(from, to) {
  return to.map((time, at) => time - (from[at] ?? 0));
}

/** @param {string} name */
function definition(name) {
  const properties = { path: { type: "string", description: "The path of a file" }, limit: { type: "integer" } };
  return {
    name,
    description: `Runs ${name} on a file and returns a line`,
    inputSchema: { type: "object", properties, required: ["path"] },
    source: `files:${name}`,
  };
}

/** @param {number} step */
function callAnswer(step) {
  const call = { type: "tool_use", id: `toolu_${step}`, name: "tool_3", input: {} };
  const json = JSON.stringify({ path: `notes-${step}.md`, limit: 10 });
  return answer(call, { type: "input_json_delta", partial_json: json }, "tool_use");
}

const TEXT_ANSWER = answer({ type: "text", text: "" }, { type: "text_delta", text: "Done." }, "end_turn");

/**
 * @param {object} content_block
 * @param {object} delta
 * @param {string} stop_reason
 */
function answer(content_block, delta, stop_reason) {
  const usage = { input_tokens: 1, output_tokens: 1 };
  const message = { id: "msg", type: "message", role: "assistant", model: "scripted", content: [], usage };
  return [
    { type: "message_start", message: { ...message, stop_reason: null, stop_sequence: null } },
    { type: "content_block_start", index: 0, content_block },
    { type: "content_block_delta", index: 0, delta },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 1 } },
    { type: "message_stop" },
  ]
    .map((data) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`)
    .join("");
}
