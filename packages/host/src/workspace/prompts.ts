/** The prompts of a workspace's servers: listed over all of them, filled in by the one that has it. */
import { HostError, isJsonObject } from "@plugboard/contracts";
import type { ContentBlock, FilledPrompt, Json, JsonObject, ListedPrompts, PromptMessage } from "@plugboard/contracts";
import type { Connection } from "@plugboard/mcp";
import type { OpBy, Ops } from "../calls/ops.ts";
import type { ListOptions, OverAllServers } from "./over-all-servers.ts";
import { targetOf } from "./reach.ts";
import type { Reach } from "./reach.ts";

export interface PromptsOptions {
  readonly reach: Reach;
  readonly over: OverAllServers;
  readonly ops: Ops;
}

export class Prompts {
  readonly #options: PromptsOptions;

  constructor(options: PromptsOptions) {
    this.#options = options;
  }

  async list(options?: ListOptions): Promise<ListedPrompts> {
    const listing = { method: "prompts/list", list: (connection: Connection) => connection.prompts() };
    const { items: prompts, over } = await this.#options.over.list(listing, options);
    return { prompts, ...over };
  }

  /** Which arguments it needs its server knows best, and says. */
  async get(server: string, name: string, args: PromptArguments, by: OpBy): Promise<FilledPrompt> {
    checkTexts(name, args);
    const { reach, ops } = this.#options;
    const op = { method: "prompts/get", params: { name, arguments: args } } as const;
    const { description, messages, _meta } = await ops.run(op, await targetOf(reach.one(server, op.method)), by);
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
function checkTexts(name: string, args: PromptArguments): void {
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

function invalid(what: string): HostError {
  return new HostError("INVALID_ARGUMENTS", { what });
}

function unexpected(server: string, what: string): HostError {
  return new HostError("UNEXPECTED_RESPONSE", { server, what });
}
