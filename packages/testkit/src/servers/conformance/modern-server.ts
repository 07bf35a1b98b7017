/**
 * The conformance fixture as a server of the official 2.x package, for the modern era or for both. Signs the request
 * states. Registers its tools with `McpServer`, because the package checks `Mcp-Param-*` headers only for registered
 * tools.
 */
import {
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  fromJsonSchema,
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
} from "@modelcontextprotocol/server";
import type {
  CallToolResult,
  InputRequiredResult,
  Server,
  ServerContext,
  ServerNotifier,
} from "@modelcontextprotocol/server";
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

const codec = createRequestStateCodec({ key: crypto.getRandomValues(new Uint8Array(32)) });

/** The tools whose questions the server of both eras sends as requests to the client, as legacy clients expect. */
const PUSHING_TOOLS: ReadonlySet<string> = new Set([
  "test_sampling",
  "test_elicitation",
  "test_elicitation_sep1034_defaults",
  "test_elicitation_sep1330_enums",
]);

interface ModernConformanceOptions {
  /** Returns the object that sends change notifications. */
  readonly makeNotifier: (server: Server) => ServerNotifier;
  /** True for a server of both eras. */
  readonly dual?: boolean;
}

export function modernConformanceServer({ makeNotifier, dual = false }: ModernConformanceOptions): McpServer {
  const mcp = new McpServer(
    { name: "conformance-modern", version: "1.0.0" },
    { capabilities: CAPABILITIES, requestState: { verify: (state, ctx) => codec.verify(state, ctx) } },
  );
  const { server } = mcp;
  const notifier = makeNotifier(server);
  for (const [name, { description, inputSchema, run }] of TOOLS) {
    const schema = fromJsonSchema<ToolCall["args"]>(inputSchema);
    mcp.registerTool(name, { description, inputSchema: schema }, async (args, ctx) => {
      const call = toolCall(args, ctx, notifier);
      const reply = await run(call);
      if (!dual || !PUSHING_TOOLS.has(name) || !("questions" in reply)) return toResult<CallToolResult>(reply);
      return toResult<CallToolResult>(await run({ ...call, answers: await pushQuestions(reply as Questions, ctx) }));
    });
  }
  server.setRequestHandler("tools/list", () => ({ tools: listTools() }));
  server.setRequestHandler("resources/list", () => ({ resources: listResources() }));
  server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: TEMPLATES }));
  server.setRequestHandler("resources/read", ({ params: { uri } }) => {
    const result = fixtureResource(uri);
    if (!result) throw new ResourceNotFoundError(uri);
    return result;
  });
  server.setRequestHandler("prompts/list", () => ({ prompts: listPrompts() }));
  server.setRequestHandler("prompts/get", ({ params: { name, arguments: args = {} } }, { mcpReq }) => {
    const reply = fixturePrompt(name, args, mcpReq.inputResponses ?? {});
    if (!reply) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no prompt ${name}`);
    return toResult(reply);
  });
  server.setRequestHandler("completion/complete", () => COMPLETION);
  if (dual) {
    server.setRequestHandler("resources/subscribe", () => ({}));
    server.setRequestHandler("resources/unsubscribe", () => ({}));
  }
  return mcp;
}

/** Sends the questions as requests to the client. Fails in the modern era, in which a server can't send requests. */
async function pushQuestions({ questions }: Questions, { mcpReq }: ServerContext) {
  const answers: { [key: string]: unknown } = {};
  for (const [key, question] of Object.entries(questions))
    answers[key] = await mcpReq.send({ ...question, params: { ...question.params } });
  return answers;
}

function toolCall(args: ToolCall["args"], { mcpReq, http }: ServerContext, notifier: ServerNotifier): ToolCall {
  const progressToken = mcpReq._meta?.progressToken;
  return {
    args,
    answers: mcpReq.inputResponses ?? {},
    state: mcpReq.requestState(),
    capabilities: clientCapabilities(mcpReq.envelope),
    async progress(progress, total) {
      if (progressToken === undefined) return;
      const params = { progressToken, progress, total, message: `${progress} of ${total}` };
      await mcpReq.notify({ method: "notifications/progress", params });
    },
    log: (level, data) => mcpReq.log(level, data),
    closeStream: () => http?.closeSSE?.(),
    listChanged: (list) => (list === "tools" ? notifier.toolsChanged() : notifier.promptsChanged()),
  };
}

async function toResult<Reply extends object>(reply: Reply | Questions): Promise<Reply | InputRequiredResult> {
  if (!("questions" in reply)) return reply;
  const { questions, state } = reply;
  return {
    resultType: "input_required",
    inputRequests: { ...questions },
    ...(state !== undefined && { requestState: await codec.mint(state) }),
  };
}

/** Reads the envelope, which the package types as an empty object. */
function clientCapabilities(envelope: { readonly [CLIENT_CAPABILITIES_META_KEY]?: object } = {}) {
  return { ...envelope[CLIENT_CAPABILITIES_META_KEY] };
}
