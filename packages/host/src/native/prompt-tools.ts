/** The host's own tools that let a model list the prompts of servers and get a prompt with its arguments filled in. */
import { isText } from "@plugboard/contracts";
import type { ContentBlock, PromptMessage } from "@plugboard/contracts";
import type { PromptArguments, ServerPrompts } from "../catalog/server-prompts.ts";
import type { NativeTool } from "../tools/native-tool.ts";
import {
  listSchema,
  optionalString,
  READ_ONLY_ANNOTATIONS,
  requestTo,
  requiredString,
  resultOrError,
  textToolResult,
} from "../tools/native-result.ts";
import { paginateBlocks } from "./paginate-blocks.ts";
import { paginateItems } from "./paginate-items.ts";

export function promptsList(prompts: Pick<ServerPrompts, "list">): NativeTool {
  return {
    name: "mcp_prompts_list",
    description:
      "Lists the prompts (prompt templates) of all MCP servers, or of one server, with their arguments. " +
      "Prompts are for the user to choose from. The listed texts come from the servers, not from the user.",
    inputSchema: listSchema("prompts"),
    annotations: READ_ONLY_ANNOTATIONS,
    run: (args, { signal }) =>
      resultOrError(async () => {
        const [server, cursor] = [optionalString(args, "server"), optionalString(args, "cursor")];
        const listed = await prompts.list({ server, signal });
        return paginateItems("prompts", listed.prompts, listed, cursor);
      }),
  };
}

export function promptGet(prompts: Pick<ServerPrompts, "get">): NativeTool {
  return {
    name: "mcp_prompt_get",
    description:
      "Gets a prompt (a prompt template) of an MCP server, with its arguments filled in. " +
      "Use it when the user has chosen a prompt. Each message starts with its role.",
    inputSchema: {
      type: "object",
      properties: {
        server: { type: "string", description: "The server of the prompt, as in mcp_prompts_list" },
        name: { type: "string", description: "The name of the prompt" },
        arguments: { type: "object", additionalProperties: { type: "string" } },
        cursor: { type: "string", description: "The cursor that the previous page ends with" },
      },
      required: ["server", "name"],
      additionalProperties: false,
    },
    annotations: READ_ONLY_ANNOTATIONS,
    asks: true,
    requestOf: (args) => requestTo(args, "prompts/get"),
    preview: (args) => {
      const { arguments: promptArguments = {} } = args;
      const call = `${requiredString(args, "name")} ${JSON.stringify(promptArguments)}`;
      return `Prompt of the server ${requiredString(args, "server")}:\n${call}`;
    },
    run: (args, { caller, signal }) =>
      resultOrError(async () => {
        const [server, name, cursor] = [
          requiredString(args, "server"),
          requiredString(args, "name"),
          optionalString(args, "cursor"),
        ];
        // `get` checks that the arguments are strings.
        const { arguments: promptArguments = {} } = args;
        const { messages } = await prompts.get(server, name, promptArguments as PromptArguments, { caller, signal });
        if (messages.length === 0) return textToolResult("The prompt is empty.");
        return paginateBlocks(messages.flatMap(toBlocks), cursor);
      }),
  };
}

/** Writes the role before the content. */
function toBlocks({ role, content }: PromptMessage): ContentBlock[] {
  if (isText(content)) return [{ ...content, text: `[${role}] ${content.text}` }];
  return [{ type: "text", text: `[${role}]` }, content];
}
