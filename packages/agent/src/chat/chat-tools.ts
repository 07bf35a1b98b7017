/** Offers the tools of a workspace to the loop. The list is read before each step, so it follows the servers. */
import type { ChatToolApp, ChatEvent, JsonObject, OfferedTool, ToolResult, Workspace } from "@plugboard/contracts";
import type { ToolCallOptions, ToolDefinition, ToolOutput, Tools } from "../loop/tools.ts";

export interface ChatToolsOptions {
  /** The workspace for the caller of the chat. */
  readonly workspace: Workspace;
  /** Resolves when the tools of the servers are known, at the latest after a few seconds. */
  readonly whenReady: () => Promise<void>;
  /** Whether the chat's profile includes the tool. */
  readonly includes: (tool: OfferedTool) => boolean;
  /** Describes the tool to the model, in a form that every provider accepts. */
  readonly toDefinition: (tool: OfferedTool) => Omit<ToolDefinition, "source" | "displayName">;
  /** Cuts a result that is too long for the model. */
  readonly toOutput: (tool: OfferedTool, result: ToolResult) => Promise<ToolOutput>;
}

export class ChatTools {
  readonly #options: ChatToolsOptions;
  /** The tools of the latest list, by the name that the model sees. */
  #offered = new Map<string, OfferedTool>();

  constructor(options: ChatToolsOptions) {
    this.#options = options;
  }

  /** Returns the tools for one turn. `emit` gets the progress of calls. */
  inTurn(emit: (event: ChatEvent) => void): Tools {
    return {
      list: () => this.#list(),
      call: (name, args, options) => this.#call(name, args, options, emit),
    };
  }

  async #list(): Promise<readonly ToolDefinition[]> {
    const { workspace, whenReady, includes, toDefinition } = this.#options;
    await whenReady();
    const tools = await workspace.tools.list();
    // Tools that are only for Apps are not for the model.
    const offered = tools.filter((tool) => tool.ui?.forModel !== false && includes(tool));
    this.#offered = new Map(offered.map((tool) => [tool.name, tool]));
    return offered.map((tool) => {
      const displayName = `${tool.server}:${tool.tool}`;
      return { ...toDefinition(tool), displayName, ...(tool.origin === "mcp" && { source: displayName }) };
    });
  }

  async #call(
    name: string,
    args: JsonObject,
    { signal, callId }: ToolCallOptions,
    emit: (event: ChatEvent) => void,
  ): Promise<ToolOutput> {
    const { workspace, toOutput } = this.#options;
    const tool = this.#offered.get(name)!;
    const result = await workspace.tools.call({ server: tool.server, tool: tool.tool }, args, {
      id: callId,
      signal,
      onProgress: (progress) => emit({ type: "tool.progressed", callId, progress }),
    });
    const app = appOf(tool, result);
    return { ...(await toOutput(tool, result)), ...(app && { app }) };
  }
}

/** The App of a tool gets a copy of the result. A larger result is not copied, and its App is not shown. */
const MAX_APP_RESULT_CHARS = 256 * 1024;

/** Returns what the App of the tool needs, if it has one. */
function appOf({ server, tool, ui }: OfferedTool, result: ToolResult): ChatToolApp | undefined {
  if (ui?.resourceUri === undefined || JSON.stringify(result).length > MAX_APP_RESULT_CHARS) return undefined;
  return { server, tool, uri: ui.resourceUri, result };
}
