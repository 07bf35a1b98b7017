/**
 * The conformance fixture as a modern server of the official 2.x package. Its states are signed. The tools are registered
 * with `McpServer`, because the package checks `Mcp-Param-*` headers only for registered tools.
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

/** `makeNotifier` returns the object that sends change notifications. */
export function modernConformanceServer(makeNotifier: (server: Server) => ServerNotifier): McpServer {
  const mcp = new McpServer(
    { name: "conformance-modern", version: "1.0.0" },
    { capabilities: CAPABILITIES, requestState: { verify: (state, ctx) => codec.verify(state, ctx) } },
  );
  const { server } = mcp;
  const notifier = makeNotifier(server);
  for (const [name, { description, inputSchema, run }] of TOOLS) {
    const schema = fromJsonSchema<ToolCall["args"]>(inputSchema);
    mcp.registerTool(name, { description, inputSchema: schema }, async (args, ctx) =>
      toResult<CallToolResult>(await run(toolCall(args, ctx, notifier))),
    );
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
  return mcp;
}

function toolCall(args: ToolCall["args"], { mcpReq }: ServerContext, notifier: ServerNotifier): ToolCall {
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
    closeStream: () => {},
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

/** The package types the envelope as an empty object. */
function clientCapabilities(envelope: { readonly [CLIENT_CAPABILITIES_META_KEY]?: object } = {}) {
  return { ...envelope[CLIENT_CAPABILITIES_META_KEY] };
}
