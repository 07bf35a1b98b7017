import { isText } from "@plugboard/contracts";
import type { ContentBlock, PromptMessage } from "@plugboard/contracts";
import type { PromptArguments, ServerPrompts } from "../catalog/server-prompts.ts";
import { resultOrError, requiredString, textResult, optionalString } from "./native-result.ts";
import { READ_ONLY_ANNOTATIONS } from "./read-only-annotations.ts";
import type { NativeTool } from "../tools/native-tool.ts";
import { paginateBlocks } from "./paginate-blocks.ts";

export function promptGet(prompts: Pick<ServerPrompts, "get">): NativeTool {
  return {
    name: "mcp_prompt_get",
    description:
      "Fills in a prompt (a prepared conversation) of an MCP server. Use it when the user has chosen one. " +
      "Each message is marked with its role.",
    inputSchema: {
      type: "object",
      properties: {
        server: { type: "string", description: "The server that has it, as mcp_prompts_list names it" },
        name: { type: "string", description: "The name of the prompt" },
        arguments: { type: "object", additionalProperties: { type: "string" } },
        cursor: { type: "string", description: "Where to go on, as the page before says" },
      },
      required: ["server", "name"],
      additionalProperties: false,
    },
    annotations: READ_ONLY_ANNOTATIONS,
    run: (args, { caller, signal }) =>
      resultOrError(async () => {
        const [server, name, cursor] = [
          requiredString(args, "server"),
          requiredString(args, "name"),
          optionalString(args, "cursor"),
        ];
        const { arguments: given = {} } = args;
        const { messages } = await prompts.get(server, name, given as PromptArguments, { caller, signal });
        if (messages.length === 0) return textResult("The prompt is empty.");
        return paginateBlocks(messages.flatMap(blocksOf), cursor);
      }),
  };
}

function blocksOf({ role, content }: PromptMessage): ContentBlock[] {
  if (isText(content)) return [{ ...content, text: `[${role}] ${content.text}` }];
  return [{ type: "text", text: `[${role}]` }, content];
}
