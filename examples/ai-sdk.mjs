/**
 * The tools of a host in the AI SDK: a model asks for a tool, the host permits and calls it, the model goes on.
 * Needs a model behind an OpenAI-compatible API, such as Ollama's: MODEL_URL=http://localhost:11434/v1 MODEL=qwen3
 */
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { dynamicTool, generateText, jsonSchema, stepCountIs } from "ai";
import { createHost } from "@plugboard/host";

const host = await createHost({
  servers: { files: { command: "npx", args: ["-y", "@modelcontextprotocol/server-filesystem", "."] } },
  permissions: { allow: ["files:list_*", "files:read_*"] },
});
await host.ready();

const tools = Object.fromEntries(
  host.tools.list().map(({ name, description, inputSchema }) => [
    name,
    dynamicTool({
      description,
      inputSchema: jsonSchema(inputSchema),
      execute: (args, { abortSignal }) => host.tools.call(name, args, { signal: abortSignal }),
      toModelOutput: async ({ output }) => ({ type: "text", value: (await host.tools.forModel(name, output)).text }),
    }),
  ]),
);

const { MODEL_URL = "http://localhost:11434/v1", MODEL = "qwen3" } = process.env;
const provider = createOpenAICompatible({ name: "local", baseURL: MODEL_URL });
const { text } = await generateText({
  model: provider(MODEL),
  tools,
  stopWhen: stepCountIs(5),
  prompt: "Which files are in the current folder?",
});
console.log(text);
await host.close();
