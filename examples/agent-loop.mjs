/**
 * Runs the agent loop with two functions of the program, and without a host. For example:
 *   PLUGBOARD_MODEL=ollama/qwen3 node examples/agent-loop.mjs "What is the weather at Ann's?"
 */
import { openModel, runTurn } from "@plugboard/agent";

const text = { type: "string" };
const functions = {
  find_city: { of: "person", run: ({ person }) => `${person} lives in Rome.` },
  get_weather: { of: "city", run: ({ city }) => `It is sunny in ${city}.` },
};
const tools = {
  list: () =>
    Object.entries(functions).map(([name, { of }]) => {
      return { name, inputSchema: { type: "object", properties: { [of]: text }, required: [of] } };
    }),
  call: async (name, args) => functions[name].run(args),
};
const model = await openModel({ env: process.env });
for await (const event of runTurn({ model, tools, prompt: process.argv[2] ?? "What is the weather at Ann's?" })) {
  if (event.type === "text.delta") process.stdout.write(event.text);
  if (event.type === "tool.finished") console.error(`[${event.tool}: ${event.result.text}]`);
  if (event.type === "turn.finished" && event.error) throw new Error(event.error.message);
}
