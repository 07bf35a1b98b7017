/**
 * A legacy server as an object of this process, on the official package, that offers resources and prompts. A test
 * says what it holds, can keep it from answering its list, and can look at how often it was asked.
 */
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import {
  CompleteRequestSchema,
  ErrorCode,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  McpError,
  ReadResourceRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";

interface Json {
  readonly [key: string]: unknown;
}

export interface Offers {
  /** What reading gives, by URI: the result itself, or what asks the client before it gives one. */
  readonly resources?: { readonly [uri: string]: Json | ((server: Server) => Promise<Json>) };
  readonly templates?: readonly Json[];
  /** What filling in gives, by name. */
  readonly prompts?: { readonly [name: string]: (args: { readonly [name: string]: string }) => Json };
  readonly completion?: Json;
  /** The list of resources is not answered before that. */
  readonly heldUntil?: Promise<void>;
}

export interface OfferingServer {
  readonly server: Server;
  /** The methods it was asked for, in order. */
  readonly asked: string[];
}

export function offeringServer(offers: Offers): OfferingServer {
  const { resources = {}, templates = [], prompts, completion, heldUntil } = offers;
  const capabilities = { resources: {}, ...(prompts && { prompts: {} }), ...(completion && { completions: {} }) };
  const server = new Server({ name: "offering", version: "1.0.0" }, { capabilities });
  const asked: string[] = [];
  server.setRequestHandler(ListResourcesRequestSchema, async ({ method }) => {
    asked.push(method);
    await heldUntil;
    return { resources: Object.keys(resources).map((uri) => ({ uri, name: uri.replace(/^.*\//, "") })) };
  });
  server.setRequestHandler(ListResourceTemplatesRequestSchema, ({ method }) => {
    asked.push(method);
    return { resourceTemplates: templates };
  });
  server.setRequestHandler(ReadResourceRequestSchema, async ({ method, params: { uri } }) => {
    asked.push(method);
    const held = resources[uri];
    if (held === undefined) throw new McpError(-32002, `no resource ${uri}`);
    return typeof held === "function" ? held(server) : held;
  });
  if (prompts) {
    server.setRequestHandler(ListPromptsRequestSchema, ({ method }) => {
      asked.push(method);
      return { prompts: Object.keys(prompts).map((name) => ({ name })) };
    });
    server.setRequestHandler(GetPromptRequestSchema, ({ method, params: { name, arguments: args = {} } }) => {
      asked.push(method);
      const prompt = prompts[name];
      if (!prompt) throw new McpError(ErrorCode.InvalidParams, `no prompt ${name}`);
      return prompt(args);
    });
  }
  if (completion) server.setRequestHandler(CompleteRequestSchema, () => ({ completion }));
  return { server, asked };
}
