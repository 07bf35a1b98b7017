import { isText } from "@plugboard/contracts";
import type { ContentBlock, PromptMessage } from "@plugboard/contracts";
import type { PromptArguments, Prompts } from "../workspace/prompts.ts";
import { answer, requiredText, says, textOf } from "./answer.ts";
import { READ_ONLY } from "./read-only.ts";
import type { NativeTool } from "../tools/native-tool.ts";
import { pageBlocks } from "./page-blocks.ts";

export function promptGet(prompts: Pick<Prompts, "get">): NativeTool {
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
    annotations: READ_ONLY,
    run: (args, { caller, signal }) =>
      answer(async () => {
        const [server, name, cursor] = [
          requiredText(args, "server"),
          requiredText(args, "name"),
          textOf(args, "cursor"),
        ];
        const { arguments: given = {} } = args;
        const { messages } = await prompts.get(server, name, given as PromptArguments, { caller, signal });
        if (messages.length === 0) return says("The prompt is empty.");
        return pageBlocks(messages.flatMap(blocksOf), cursor);
      }),
  };
}

function blocksOf({ role, content }: PromptMessage): ContentBlock[] {
  if (isText(content)) return [{ ...content, text: `[${role}] ${content.text}` }];
  return [{ type: "text", text: `[${role}]` }, content];
}
