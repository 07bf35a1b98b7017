/**
 * A legacy server object of the official package with resources and prompts. The test supplies its content, can delay
 * its lists and can count its requests.
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

interface UnknownRecord {
  readonly [key: string]: unknown;
}

export interface ResourcePromptOptions {
  /** The result of reading each resource, by URI: a result, or a function that can ask the client first. */
  readonly resources?: { readonly [uri: string]: UnknownRecord | ((server: Server) => Promise<UnknownRecord>) };
  readonly templates?: readonly UnknownRecord[];
  /** The functions that make the result of getting a prompt, by the prompt's name. */
  readonly prompts?: { readonly [name: string]: (args: { readonly [name: string]: string }) => UnknownRecord };
  readonly completion?: UnknownRecord;
  /** The resource list is answered only after this resolves. */
  readonly listAfter?: Promise<void>;
}

export interface ResourcePromptServer {
  readonly server: Server;
  /** The received methods, in order. */
  readonly methods: string[];
}

export function resourcePromptServer(options: ResourcePromptOptions): ResourcePromptServer {
  const { resources = {}, templates = [], prompts, completion, listAfter } = options;
  const capabilities = { resources: {}, ...(prompts && { prompts: {} }), ...(completion && { completions: {} }) };
  const server = new Server({ name: "offering", version: "1.0.0" }, { capabilities });
  const methods: string[] = [];
  server.setRequestHandler(ListResourcesRequestSchema, async ({ method }) => {
    methods.push(method);
    await listAfter;
    return { resources: Object.keys(resources).map((uri) => ({ uri, name: uri.replace(/^.*\//, "") })) };
  });
  server.setRequestHandler(ListResourceTemplatesRequestSchema, ({ method }) => {
    methods.push(method);
    return { resourceTemplates: templates };
  });
  server.setRequestHandler(ReadResourceRequestSchema, async ({ method, params: { uri } }) => {
    methods.push(method);
    const contents = resources[uri];
    if (contents === undefined) throw new McpError(-32002, `no resource ${uri}`);
    return typeof contents === "function" ? contents(server) : contents;
  });
  if (prompts) {
    server.setRequestHandler(ListPromptsRequestSchema, ({ method }) => {
      methods.push(method);
      return { prompts: Object.keys(prompts).map((name) => ({ name })) };
    });
    server.setRequestHandler(GetPromptRequestSchema, ({ method, params: { name, arguments: args = {} } }) => {
      methods.push(method);
      const prompt = prompts[name];
      if (!prompt) throw new McpError(ErrorCode.InvalidParams, `no prompt ${name}`);
      return prompt(args);
    });
  }
  if (completion) server.setRequestHandler(CompleteRequestSchema, () => ({ completion }));
  return { server, methods };
}
