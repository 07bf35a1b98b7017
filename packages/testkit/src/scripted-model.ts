/**
 * A scripted model with the wire format of OpenAI's chat completions: one turn of the script for each request. Records
 * its requests and rejects invalid ones, as real models do. It does not stream.
 */
import { startScriptedHttp } from "./scripted-http.ts";

export interface ScriptedModel {
  /** The base URL for clients. */
  readonly url: string;
  /** The requests in order of arrival. */
  readonly requests: readonly ChatRequest[];
  close(): Promise<void>;
}

export interface ChatRequest {
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly tools?: readonly { readonly type: "function"; readonly function: ChatFunction }[];
  readonly stream?: boolean;
}

export interface ChatFunction {
  readonly name: string;
  readonly description?: string;
  readonly parameters?: object;
}

export interface ChatMessage {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content?: string | readonly object[] | null;
  readonly tool_calls?: readonly ChatToolCall[];
  readonly tool_call_id?: string;
}

export interface ChatToolCall {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; /** A JSON text. */ readonly arguments: string };
}

/** A turn of the model: a text or tool calls. */
export type ModelTurn = string | { readonly calls: readonly { readonly tool: string; readonly arguments: object }[] };

export type ScriptedTurn = ModelTurn | ((request: ChatRequest) => ModelTurn);

export async function startScriptedModel(...turns: readonly ScriptedTurn[]): Promise<ScriptedModel> {
  const requests: ChatRequest[] = [];
  const http = await startScriptedHttp(({ method, path, body }, response) => {
    const { status, json } = answer(`${method} ${path}`, body);
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(json));
  });

  function answer(route: string, body: string): { status: number; json: object } {
    if (route !== "POST /v1/chat/completions") return errorResponse(404, `there is no ${route}`);
    const request = JSON.parse(body) as ChatRequest;
    const scripted = turns[requests.length];
    requests.push(request);
    if (request.stream) return errorResponse(400, "this model does not stream");
    if (scripted === undefined) return errorResponse(400, `the script has no turn ${requests.length}`);
    const turn = typeof scripted === "function" ? scripted(request) : scripted;
    const problem = findHistoryError(request) ?? findMissingTool(request, turn);
    return problem === undefined
      ? { status: 200, json: completion(request, turn, requests.length) }
      : errorResponse(400, problem);
  }

  return { url: new URL("/v1", http.url).href, requests, close: () => http.close() };
}

/** Returns the results of the last tool calls. */
export function toolResults({ messages }: ChatRequest): string[] {
  const last = messages.findLastIndex(({ role }) => role !== "tool");
  return messages
    .slice(last + 1)
    .map(({ content }) => (typeof content === "string" ? content : JSON.stringify(content)));
}

function completion({ model }: ChatRequest, turn: ModelTurn, number: number): object {
  const message =
    typeof turn === "string"
      ? { role: "assistant", content: turn }
      : {
          role: "assistant",
          content: null,
          tool_calls: turn.calls.map((call, index) => ({
            id: `call_${number}_${index}`,
            type: "function",
            function: { name: call.tool, arguments: JSON.stringify(call.arguments) },
          })),
        };
  const finish_reason = typeof turn === "string" ? "stop" : "tool_calls";
  return {
    id: `chatcmpl-${number}`,
    object: "chat.completion",
    created: 0,
    model,
    choices: [{ index: 0, message, finish_reason }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  };
}

/** Checks that each tool call has exactly one result. */
function findHistoryError({ messages }: ChatRequest): string | undefined {
  const unanswered = new Set<string>();
  for (const { role, tool_calls = [], tool_call_id = "" } of messages) {
    if (role === "tool") {
      if (!unanswered.delete(tool_call_id)) return `no tool was called as "${tool_call_id}"`;
    } else if (unanswered.size > 0) return `no result for ${[...unanswered].join(", ")}`;
    for (const { id } of tool_calls) unanswered.add(id);
  }
  return unanswered.size > 0 ? `no result for ${[...unanswered].join(", ")}` : undefined;
}

function findMissingTool({ tools = [] }: ChatRequest, turn: ModelTurn): string | undefined {
  if (typeof turn === "string") return undefined;
  const offered = tools.map((tool) => tool.function.name);
  const missing = turn.calls.find(({ tool }) => !offered.includes(tool));
  return missing && `the script calls "${missing.tool}", and only ${offered.join(", ")} are offered`;
}

function errorResponse(status: number, message: string): { status: number; json: object } {
  return { status, json: { error: { message, type: "invalid_request_error", param: null, code: null } } };
}
