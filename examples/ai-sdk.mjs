/**
 * Uses the tools of a host in the AI SDK: the model requests a call, and the host checks the permission and calls the tool.
 * Works with any model behind an OpenAI-compatible API, such as Ollama's:
 *   MODEL_URL=http://localhost:11434/v1 MODEL=qwen3 node examples/ai-sdk.mjs
 */
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { createHost } from "@plugboard/host";
import { dynamicTool, generateText, jsonSchema, stepCountIs } from "ai";

const { MODEL_URL = "http://localhost:11434/v1", MODEL = "qwen3" } = process.env;
const host = await createHost({
  servers: { files: { command: "npx", args: ["-y", "@modelcontextprotocol/server-filesystem", "."] } },
  permissions: { allow: ["files:list_*", "files:read_*"] },
});
try {
  await host.ready();
  const tools = toTools();
  const { text } = await generateText({
    model: createOpenAICompatible({ name: "local", baseURL: MODEL_URL })(MODEL),
    tools,
    // Adds tools that appeared since the last step, such as `read_output` after a result was cut.
    prepareStep: () => void Object.assign(tools, toTools()),
    stopWhen: stepCountIs(10),
    prompt: process.argv[2] ?? "Which files are in the current folder?",
  });
  console.log(text);
} finally {
  await host.close();
}

function toTools() {
  return Object.fromEntries(host.tools.definitions("openai").map((one) => [one.function.name, toTool(one.function)]));
}

function toTool({ name, description, parameters }) {
  return dynamicTool({
    description,
    inputSchema: jsonSchema(parameters),
    execute: (args, { abortSignal: signal }) => host.tools.call(name, args, { signal }),
    // Cuts the result for the model. The host stores the complete result.
    toModelOutput: async ({ output }) => {
      const { text, isError } = await host.tools.forModel(name, output);
      return { type: isError ? "error-text" : "text", value: text };
    },
  });
}
