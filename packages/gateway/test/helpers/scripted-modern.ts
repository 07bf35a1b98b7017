/** A modern HTTP server whose answers the test scripts, method by method. */
import type { ServerResponse } from "node:http";
import { startScriptedHttp } from "@plugboard/testkit/start-server";
import type { ScriptedHttp } from "@plugboard/testkit/start-server";

type Params = Record<string, never> & { readonly [key: string]: unknown };
export type Answers = { readonly [method: string]: (params: Params) => object };

export interface ScriptedModern extends ScriptedHttp {
  /** Sends a notification on all open subscriptions. */
  notify(method: string, params: object): void;
  /** The params of all requests with this method, in order of arrival. */
  paramsOf(method: string): Params[];
}

/**
 * A method without an answer gets -32601. An answer with `error` is sent as an error. Subscriptions are acknowledged and
 * stay open, unless `subscriptions/listen` has an answer.
 */
export async function startScriptedModern(capabilities: object, answers: Answers): Promise<ScriptedModern> {
  const all: Answers = {
    "server/discover": () => ({ supportedVersions: ["2026-07-28"], capabilities, ttlMs: 0, cacheScope: "private" }),
    ...answers,
  };
  const subscriptions = new Map<number, ServerResponse>();
  const notifyOne = (id: number, method: string, params: object) => {
    const _meta = { "io.modelcontextprotocol/subscriptionId": id };
    const message = { jsonrpc: "2.0", method, params: { ...params, _meta } };
    subscriptions.get(id)?.write(`data: ${JSON.stringify(message)}\n\n`);
  };
  const server = await startScriptedHttp(({ body }, response) => {
    const { id, method, params } = parse(body);
    if (id === undefined) return void response.writeHead(202).end();
    if (method === "subscriptions/listen" && !all[method]) {
      subscriptions.set(id, response.writeHead(200, { "content-type": "text/event-stream" }));
      const { notifications } = params;
      return notifyOne(id, "notifications/subscriptions/acknowledged", { notifications });
    }
    const answer = all[method]?.(params) ?? { error: { code: -32601, message: "no such method" } };
    const outcome = "error" in answer ? answer : { result: { resultType: "complete", ...answer } };
    response.writeHead("error" in answer ? 404 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id, ...outcome }));
  });
  const paramsOf = (method: string) =>
    server.requests.map(({ body }) => parse(body)).flatMap((one) => (one.method === method ? [one.params] : []));
  const notify = (method: string, params: object) => {
    for (const id of subscriptions.keys()) notifyOne(id, method, params);
  };
  return { ...server, paramsOf, notify };
}

function parse(body: string): { id?: number; method: string; params: Params } {
  return body === "" ? { method: "", params: {} } : (JSON.parse(body) as ReturnType<typeof parse>);
}
