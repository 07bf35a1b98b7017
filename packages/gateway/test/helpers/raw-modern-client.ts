/** Sends modern HTTP requests without a client library, such as late, repeated or forged ones. */
import type { RunningHost } from "../../../daemon/test/helpers/running-host.ts";

export interface RawResponse {
  readonly status: number;
  readonly result?: {
    resultType?: string;
    requestState?: string;
    inputRequests?: object;
    content?: { text: string }[];
    isError?: boolean;
    [key: string]: unknown;
  };
  readonly error?: { code: number; message: string; data?: Record<string, unknown> };
  /** The messages on the stream before the response. */
  readonly earlierMessages: { method?: string; params?: Record<string, unknown> }[];
}

export interface RawRequest {
  readonly params?: Record<string, unknown>;
  readonly headers?: Record<string, string | undefined>;
  readonly capabilities?: object;
  readonly signal?: AbortSignal;
}

type Endpoint = Pick<RunningHost, "url" | "token">;

const KEY = "io.modelcontextprotocol/";

export async function sendRequest(host: Endpoint, method: string, request: RawRequest = {}): Promise<RawResponse> {
  const response = await post(host, method, request);
  const text = await response.text();
  const streamed = response.headers.get("content-type") === "text/event-stream";
  const messages = streamed ? [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => data!) : [text];
  const parsed = messages.map((message) => JSON.parse(message) as Record<string, never>);
  return { status: response.status, ...parsed.at(-1), earlierMessages: parsed.slice(0, -1) };
}

/** Opens a subscription. The returned list grows with each message on its stream, until the signal aborts. */
export async function openSubscription(
  host: Endpoint,
  notifications: object,
  request: RawRequest & { readonly signal: AbortSignal },
): Promise<RawResponse["earlierMessages"]> {
  const { body } = await post(host, "subscriptions/listen", { ...request, params: { notifications } });
  const messages: RawResponse["earlierMessages"] = [];
  const read = async () => {
    let text = "";
    for await (const chunk of body!.pipeThrough(new TextDecoderStream())) {
      const lines = (text + chunk).split("\n");
      text = lines.pop()!;
      for (const line of lines) if (line.startsWith("data: {")) messages.push(JSON.parse(line.slice(6)) as object);
    }
  };
  // The test ends the stream.
  read().catch(() => {});
  return messages;
}

function post({ url, token }: Endpoint, method: string, request: RawRequest): Promise<Response> {
  const { params = {}, headers = {}, capabilities = { elicitation: { form: {} } }, signal } = request;
  const meta = {
    [`${KEY}protocolVersion`]: "2026-07-28",
    [`${KEY}clientInfo`]: { name: "bare", version: "1" },
    [`${KEY}clientCapabilities`]: capabilities,
    ...(params["_meta"] as object | undefined),
  };
  const sent = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    authorization: `Bearer ${token}`,
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": method,
    ...mcpName(params),
    ...headers,
  };
  return fetch(url, {
    method: "POST",
    headers: Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== undefined)) as Record<
      string,
      string
    >,
    body: JSON.stringify({ jsonrpc: "2.0", id: 7, method, params: { ...params, _meta: meta } }),
    ...(signal && { signal }),
  });
}

export function sendToolCall(
  host: Endpoint,
  name: string,
  args: object = {},
  request: RawRequest = {},
): Promise<RawResponse> {
  return sendRequest(host, "tools/call", { ...request, params: { name, arguments: args, ...request.params } });
}

/** Repeats a call with its state and the answer to its only question. */
export function sendAnswer(host: Endpoint, name: string, requestState: string, content: object, args: object = {}) {
  const inputResponses = { "ask-1": { action: "accept", content } };
  return sendToolCall(host, name, args, { params: { requestState, inputResponses } });
}

function mcpName({ name, uri, taskId }: Record<string, unknown>): Record<string, string> {
  const value = name ?? uri ?? taskId;
  return typeof value === "string" ? { "mcp-name": value } : {};
}
