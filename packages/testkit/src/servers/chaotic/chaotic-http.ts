/** The chaotic server over Streamable HTTP, with sessions that it may drop. */
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import { effectResult, NO_SUCH_METHOD, plainResult } from "./effect-tool.ts";
import type { ChaoticRequest } from "./effect-tool.ts";

/** The faults that a call can request. The server answers some of these calls, and never answers the others. */
export const HTTP_FAULTS = [
  "none",
  "status 500",
  "status 503",
  "reset",
  "truncated",
  "a page",
  "accepted only",
  "another id",
  "hang",
  "late",
  "stream without an answer",
  "stream",
  "stream that is resumed",
  "session forgotten",
  "too large",
] as const;

type RecordEffect = (key: string) => void;

export function serveHttp(recordEffect: RecordEffect): void {
  const server = new ChaoticHttp(recordEffect);
  const listener = createServer((request, response) => void server.handle(request, response));
  listener.listen(0, "127.0.0.1", () => {
    const { port } = listener.address() as { port: number };
    process.stdout.write(`listening http://127.0.0.1:${port}/mcp\n`);
  });
}

class ChaoticHttp {
  readonly #recordEffect: RecordEffect;
  readonly #sessions = new Set<string>();
  /** The pending response of each dropped stream, by the id of its last event. */
  readonly #unsentResponses = new Map<string, object>();
  #count = 0;

  constructor(recordEffect: RecordEffect) {
    this.#recordEffect = recordEffect;
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on("error", () => {});
    const session = request.headers["mcp-session-id"];
    if (request.method === "DELETE") return void response.writeHead(204).end();
    if (request.method === "GET") return this.#resume(request, response);
    let body = "";
    for await (const piece of request) body += String(piece);
    const message = JSON.parse(body) as ChaoticRequest;
    if (message.method === "server/discover") return void response.writeHead(400).end();
    if (message.method === "initialize") return this.#open(message, response);
    if (!this.#sessions.has(String(session))) return void response.writeHead(404).end();
    if (message.id === undefined) return void response.writeHead(202).end();
    if (message.method === "tools/call") return this.#call(message, String(session), response);
    const result = plainResult(message);
    sendJson(response, { id: message.id, ...(result ? { result } : { error: NO_SUCH_METHOD }) });
  }

  #open(message: ChaoticRequest, response: ServerResponse): void {
    const session = `s${++this.#count}`;
    this.#sessions.add(session);
    response.setHeader("mcp-session-id", session);
    sendJson(response, { id: message.id, result: plainResult(message) });
  }

  #resume(request: IncomingMessage, response: ServerResponse): void {
    const last = request.headers["last-event-id"];
    const pending = typeof last === "string" ? this.#unsentResponses.get(last) : undefined;
    if (!pending) return void response.writeHead(405).end();
    this.#unsentResponses.delete(String(last));
    response.writeHead(200, { "content-type": "text/event-stream" }).end(event(pending));
  }

  #call({ id, params }: ChaoticRequest, session: string, response: ServerResponse): void {
    const { key = "", fault = "none" } = params?.arguments ?? {};
    if (fault === "session forgotten" && this.#sessions.size > 0) {
      this.#sessions.clear();
      return void response.writeHead(404).end();
    }
    if (fault === "status 503") return void response.writeHead(503, { "retry-after": "0" }).end();
    this.#recordEffect(key);
    const answer = { id, result: effectResult(key) };
    switch (fault) {
      case "status 500":
        return void response.writeHead(500).end("oops");
      case "reset":
        return void response.destroy();
      case "truncated":
        response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
        return void response.write('{"jsonrpc":"2.0",', () => response.destroy());
      case "a page":
        return void response.writeHead(200, { "content-type": "text/html" }).end("<h1>hello</h1>");
      case "accepted only":
        return void response.writeHead(202).end();
      case "another id":
        return sendJson(response, { ...answer, id: Number(id) + 1000 });
      case "hang":
        return;
      case "late":
        return void setTimeout(() => sendJson(response, answer), 300);
      case "stream without an answer":
        return void openStream(response).end(": nothing\n\n");
      case "stream":
        return void openStream(response).end(event({ method: "notifications/tools/list_changed" }) + event(answer));
      case "stream that is resumed": {
        const last = `${session}-${++this.#count}`;
        this.#unsentResponses.set(last, answer);
        return void openStream(response).end(`id: ${last}\nretry: 10\ndata: \n\n`);
      }
      case "too large":
        return void response
          .writeHead(200, { "content-type": "application/json" })
          .end(JSON.stringify({ jsonrpc: "2.0", id, result: { content: [], pad: "y".repeat(3 << 20) } }));
      default:
        sendJson(response, answer);
    }
  }
}

function sendJson(response: ServerResponse, message: object): void {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ jsonrpc: "2.0", ...message }));
}

function openStream(response: ServerResponse): ServerResponse {
  return response.writeHead(200, { "content-type": "text/event-stream" });
}

function event(message: object): string {
  return `data: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`;
}
