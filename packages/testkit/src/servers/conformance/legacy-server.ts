/**
 * The conformance fixture as a legacy server, built with version 1.x of the official SDK. A tool that asks sends its
 * questions as requests to the client, and is then run again with the answers.
 */
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import type { RequestHandlerExtra } from "@modelcontextprotocol/sdk/shared/protocol.js";
import {
  CallToolRequestSchema,
  CompleteRequestSchema,
  ErrorCode,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
  ResultSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import type { ServerNotification, ServerRequest, ServerResult } from "@modelcontextprotocol/sdk/types.js";
import type { Questions, ToolCall } from "./conformance-tool.ts";
import { CAPABILITIES } from "./capabilities.ts";
import {
  COMPLETION,
  fixturePrompt,
  listPrompts,
  listResources,
  fixtureResource,
  TEMPLATES,
} from "./resources-and-prompts.ts";
import { listTools, TOOLS } from "./tools.ts";

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

const RESOURCE_NOT_FOUND = -32002;

export function legacyConformanceServer(): Server {
  const server = new Server({ name: "conformance-legacy", version: "1.0.0" }, { capabilities: CAPABILITIES });
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: listTools() }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params: { name, arguments: args = {} } }, extra) => {
    const tool = TOOLS.get(name);
    if (!tool) throw new McpError(ErrorCode.InvalidParams, `There is no tool ${name}`);
    const call = toolCall(server, args, extra);
    return answerQuestions(extra, (answers, state) => tool.run({ ...call, answers, state }));
  });
  server.setRequestHandler(ListResourcesRequestSchema, () => ({ resources: listResources() }));
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({ resourceTemplates: TEMPLATES }));
  server.setRequestHandler(ReadResourceRequestSchema, ({ params: { uri } }) => {
    const result = fixtureResource(uri);
    if (!result) throw new McpError(RESOURCE_NOT_FOUND, "Resource not found", { uri });
    return result;
  });
  server.setRequestHandler(SubscribeRequestSchema, () => ({}));
  server.setRequestHandler(UnsubscribeRequestSchema, () => ({}));
  server.setRequestHandler(ListPromptsRequestSchema, () => ({ prompts: listPrompts() }));
  server.setRequestHandler(GetPromptRequestSchema, ({ params: { name, arguments: args = {} } }, extra) =>
    answerQuestions(extra, (answers) => {
      const reply = fixturePrompt(name, args, answers);
      if (!reply) throw new McpError(ErrorCode.InvalidParams, `There is no prompt ${name}`);
      return reply;
    }),
  );
  server.setRequestHandler(CompleteRequestSchema, () => COMPLETION);
  return server;
}

function toolCall(server: Server, args: ToolCall["args"], extra: Extra): Omit<ToolCall, "answers" | "state"> {
  const progressToken = extra._meta?.progressToken;
  return {
    args,
    capabilities: { ...server.getClientCapabilities() },
    async progress(progress, total) {
      if (progressToken === undefined) return;
      await extra.sendNotification({
        method: "notifications/progress",
        params: { progressToken, progress, total, message: `${progress} of ${total}` },
      });
    },
    log: (level, data) => extra.sendNotification({ method: "notifications/message", params: { level, data } }),
    closeStream: () => extra.closeSSEStream?.(),
    listChanged: (list) => void (list === "tools" ? server.sendToolListChanged() : server.sendPromptListChanged()),
  };
}

type Run<Reply> = (
  answers: { readonly [key: string]: unknown },
  state: unknown,
) => Reply | Questions | Promise<Reply | Questions>;

/** Runs the function until it asks nothing more. */
async function answerQuestions<Reply extends object>(extra: Extra, run: Run<Reply>): Promise<ServerResult> {
  let reply = await run({}, undefined);
  while ("questions" in reply) {
    const { questions, state } = reply;
    const answers: { [key: string]: unknown } = {};
    for (const [key, question] of Object.entries(questions)) {
      answers[key] = await extra.sendRequest(question as ServerRequest, ResultSchema);
    }
    reply = await run(answers, state);
  }
  return reply;
}
