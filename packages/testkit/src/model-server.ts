/**
 * A model server on loopback with the wire formats of Anthropic's Messages and of OpenAI's Chat Completions and
 * Responses. It streams one scripted answer for each request, records the requests, and rejects invalid histories, as
 * real model servers do.
 */
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { startScriptedHttp } from "./scripted-http.ts";
import type { ScriptedRequest } from "./scripted-http.ts";
import type { AnswerPart, ScriptedAnswer, StreamedAnswer } from "./model-server/answer.ts";
import { chatWriter } from "./model-server/chat-writer.ts";
import { messagesWriter } from "./model-server/messages-writer.ts";
import { findHistoryError, readRequest } from "./model-server/read-request.ts";
import type { ModelServerRequest, Wire } from "./model-server/read-request.ts";
import { responsesWriter } from "./model-server/responses-writer.ts";
import type { AnswerWriter, Frame } from "./model-server/writer.ts";

export type { AnswerPart, ScriptedAnswer } from "./model-server/answer.ts";
export type { ModelServerRequest, Wire } from "./model-server/read-request.ts";

export interface ModelServer {
  /** The base URL for clients, which ends in `/v1`. */
  readonly url: string;
  /** The requests in order of arrival. */
  readonly requests: readonly ModelServerRequest[];
  close(): Promise<void>;
}

const WIRES: { readonly [path: string]: Wire } = {
  "POST /v1/messages": "messages",
  "POST /v1/chat/completions": "chat",
  "POST /v1/responses": "responses",
};

const WRITERS = { messages: messagesWriter, chat: chatWriter, responses: responsesWriter };

export async function startModelServer(...script: readonly ScriptedAnswer[]): Promise<ModelServer> {
  const requests: ModelServerRequest[] = [];
  const http = await startScriptedHttp(async (incoming, response) => {
    if (`${incoming.method} ${incoming.path}` === "GET /v1/models") return sendJson(response, 200, MODEL_LIST);
    const wire = WIRES[`${incoming.method} ${incoming.path}`];
    if (wire === undefined) return sendError(response, 404, "not_found_error", `there is no ${incoming.path}`);
    const scripted = script[requests.length];
    const request = record(incoming, wire, response);
    const problem = findHistoryError(request);
    if (problem !== undefined) return sendError(response, 400, "invalid_request_error", problem);
    if (scripted === undefined)
      return sendError(response, 400, "invalid_request_error", `the script has no answer ${requests.length}`);
    const answer = typeof scripted === "function" ? scripted(request) : scripted;
    if ("status" in answer) {
      const { status, type = "scripted_error", message = "scripted error", headers } = answer;
      return sendError(response, status, type, message, headers);
    }
    await streamAnswer(response, answer, WRITERS[wire](request, requests.length));
  });

  function record({ body, headers }: ScriptedRequest, wire: Wire, response: ServerResponse): ModelServerRequest {
    const closed = once(response, "close").then(() => undefined);
    const request = { ...readRequest(wire, JSON.parse(body)), headers, closed };
    requests.push(request);
    return request;
  }

  return { url: new URL("/v1", http.url).href, requests, close: () => http.close() };
}

const MODEL_LIST = { object: "list", data: [{ id: "scripted", object: "model", created: 0, owned_by: "testkit" }] };

async function streamAnswer(response: ServerResponse, answer: StreamedAnswer, writer: AnswerWriter): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (frames: readonly Frame[]) => void response.write(frames.map(toText).join(""));
  send(writer.start(answer.usage));
  for (const part of answer.parts) {
    if ("waitFor" in part) await part.waitFor;
    else if ("breakOff" in part) return part.breakOff === "end" ? void response.end() : void response.destroy();
    else send(writePart(writer, part));
  }
  const calls = answer.parts.some((part) => "call" in part);
  send(writer.finish(answer.finish ?? (calls ? "tool_calls" : "stop"), answer.usage));
  response.end();
}

function writePart(
  writer: AnswerWriter,
  part: Exclude<AnswerPart, { waitFor: unknown } | { breakOff: unknown }>,
): readonly Frame[] {
  if ("text" in part) return writer.text(part.text);
  if ("reasoning" in part) return writer.reasoning(part.reasoning);
  if ("error" in part) return writer.error(part.error.type, part.error.message);
  const input = typeof part.args === "string" ? part.args : JSON.stringify(part.args ?? {});
  return writer.call(part.call, input, part.id);
}

function toText({ event, data }: Frame): string {
  const head = event === undefined ? "" : `event: ${event}\n`;
  return `${head}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
}

/** The body suits all three formats. */
function sendError(response: ServerResponse, status: number, type: string, message: string, headers = {}): void {
  sendJson(response, status, { type: "error", error: { type, message, code: type, param: null } }, headers);
}

function sendJson(response: ServerResponse, status: number, json: object, headers = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(json));
}
