/** The prompts of a workspace's servers: listed over all of them, filled in by the one that has it. */
import { HostError, isJsonObject } from "@plugboard/contracts";
import type { ContentBlock, GetPromptResult, Json, JsonObject, PromptList, PromptMessage } from "@plugboard/contracts";
import type { Connection } from "@plugboard/mcp";
import type { RequestContext } from "../calls/ask-user.ts";
import type { ServerRequests } from "../calls/server-requests.ts";
import type { ServerListOptions, CrossServerLister } from "./list-across-servers.ts";
import { requestTarget } from "./server-access.ts";
import type { ServerAccess } from "./server-access.ts";

export interface ServerPromptsOptions {
  readonly access: ServerAccess;
  readonly lister: CrossServerLister;
  readonly requests: ServerRequests;
}

export class ServerPrompts {
  readonly #options: ServerPromptsOptions;

  constructor(options: ServerPromptsOptions) {
    this.#options = options;
  }

  async list(options?: ServerListOptions): Promise<PromptList> {
    const listMethod = { method: "prompts/list", list: (connection: Connection) => connection.prompts() };
    const { items: prompts, report } = await this.#options.lister.list(listMethod, options);
    return { prompts, ...report };
  }

  /** Which arguments it needs its server knows best, and says. */
  async get(server: string, name: string, args: PromptArguments, context: RequestContext): Promise<GetPromptResult> {
    checkPromptArguments(name, args);
    const { access, requests } = this.#options;
    const request = { method: "prompts/get", params: { name, arguments: args } } as const;
    const { description, messages, _meta } = await requests.run(
      request,
      await requestTarget(access.get(server, request.method)),
      context,
    );
    if (!Array.isArray(messages)) throw unexpected(server, 'prompts/get has no list of "messages"');
    return {
      ...(typeof description === "string" && { description }),
      messages: messages.map((message, at) => readMessage(message, at, server)),
      ...(isJsonObject(_meta) && { _meta }),
    };
  }
}

export interface PromptArguments {
  readonly [name: string]: string;
}

/** It may come from anywhere. */
function checkPromptArguments(name: string, args: PromptArguments): void {
  if (typeof name !== "string" || name === "") throw invalid("the name of the prompt is missing");
  if (!isJsonObject(args)) throw invalid("those of a prompt are an object");
  const wrong = Object.keys(args).find((key) => typeof args[key] !== "string");
  if (wrong !== undefined) throw invalid(`those of a prompt are texts, and "${wrong}" is none`);
}

function readMessage(value: Json, at: number, server: string): PromptMessage {
  const { role, content } = isJsonObject(value) ? value : ({} as JsonObject);
  const known = role === "user" || role === "assistant";
  if (known && isJsonObject(content) && typeof content["type"] === "string") {
    return { role, content: content as ContentBlock };
  }
  throw unexpected(server, `message ${at + 1} of the prompt has no role or no content`);
}

function invalid(reason: string): HostError {
  return new HostError("INVALID_ARGUMENTS", { reason });
}

function unexpected(server: string, reason: string): HostError {
  return new HostError("UNEXPECTED_RESPONSE", { server, reason });
}
