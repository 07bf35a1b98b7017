/** Lists the prompts of all servers of a workspace, and gets a prompt with its arguments filled in from its server. */
import { HostError, isJsonObject } from "@plugboard/contracts";
import type { ContentBlock, GetPromptResult, Json, JsonObject, PromptList, PromptMessage } from "@plugboard/contracts";
import type { Connection } from "@plugboard/mcp";
import type { RequestContext } from "../calls/ask-user.ts";
import { listAcrossServers } from "./list-across-servers.ts";
import { pick } from "./pick.ts";
import type { CatalogPorts, ServerListOptions } from "./list-across-servers.ts";

export class ServerPrompts {
  readonly #ports: CatalogPorts;

  constructor(ports: CatalogPorts) {
    this.#ports = ports;
  }

  async list(options?: ServerListOptions): Promise<PromptList> {
    const listMethod = { method: "prompts/list", list: (connection: Connection) => connection.prompts() };
    const { items: prompts, report } = await listAcrossServers(this.#ports, listMethod, options);
    return { prompts: prompts.map(knownFields), ...report };
  }

  /** Does not check whether arguments are missing. The server does, and its error names them. */
  async get(server: string, name: string, args: PromptArguments, context: RequestContext): Promise<GetPromptResult> {
    checkPromptArguments(name, args);
    const { targets, requests } = this.#ports;
    const request = { method: "prompts/get", params: { name, arguments: args } } as const;
    const { description, messages, _meta } = await requests.run(request, targets.get(server, request.method), context);
    if (!Array.isArray(messages)) throw unexpected(server, 'prompts/get has no list of "messages"');
    return {
      ...(typeof description === "string" && { description }),
      messages: messages.map((message, index) => readMessage(message, index, server)),
      ...(isJsonObject(_meta) && { _meta }),
    };
  }
}

function knownFields(prompt: ListedPrompt): ListedPrompt {
  const { arguments: args, ...fields } = pick(prompt, ["name", "title", "description", "arguments", "server"]);
  const knownArguments = args?.map((one) => pick(one, ["name", "title", "description", "required"]));
  return { ...fields, ...(knownArguments && { arguments: knownArguments }) };
}

type ListedPrompt = PromptList["prompts"][number];

export interface PromptArguments {
  readonly [name: string]: string;
}

/** Throws INVALID_ARGUMENTS. The types are no guarantee: JavaScript programs and models can pass any value. */
function checkPromptArguments(name: string, args: PromptArguments): void {
  if (typeof name !== "string" || name === "") throw invalid("the name of the prompt is missing");
  if (!isJsonObject(args)) throw invalid("the arguments of a prompt must be an object");
  const notAString = Object.keys(args).find((key) => typeof args[key] !== "string");
  if (notAString !== undefined) throw invalid(`the arguments of a prompt must be strings, but "${notAString}" is not`);
}

function readMessage(value: Json, index: number, server: string): PromptMessage {
  const { role, content } = isJsonObject(value) ? value : ({} as JsonObject);
  const isKnownRole = role === "user" || role === "assistant";
  if (isKnownRole && isJsonObject(content) && typeof content["type"] === "string") {
    return { role, content: content as ContentBlock };
  }
  throw unexpected(server, `message ${index + 1} of the prompt has no role or no content`);
}

function invalid(reason: string): HostError {
  return new HostError("INVALID_ARGUMENTS", { reason });
}

function unexpected(server: string, reason: string): HostError {
  return new HostError("UNEXPECTED_RESPONSE", { server, reason });
}
