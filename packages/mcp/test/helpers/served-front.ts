/** Serves a front over HTTP on a free port. The test decides when each request of the client is answered. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { JsonObject } from "@plugboard/contracts";
import type { FrontClient, FrontContext, McpRequestHandler, Op, Outcome, ServerCapabilities } from "@plugboard/mcp";
import { HttpFront } from "@plugboard/mcp/server-transport";
import { onTestFinished } from "vitest";
import { ManualClock } from "../../../contracts/test/helpers/manual-clock.ts";

/** A request that the handler has got, and that waits for its answer. */
interface HandledRequest {
  readonly op: Op;
  readonly ctx: FrontContext;
  answer(outcome: Outcome): void;
}

interface ReportedRequest extends Omit<FrontClient, "revision"> {
  readonly name: string | undefined;
  readonly revision: string;
  isOpen: boolean;
}

export interface ServedFront {
  readonly url: string;
  readonly clock: ManualClock;
  /** The requests and streams that were reported to `onRequest`, in order. */
  readonly reported: readonly ReportedRequest[];
  /** Resolves with the next request. */
  next(): Promise<HandledRequest>;
}

export async function serveFront(schemas: { readonly [tool: string]: JsonObject } = {}): Promise<ServedFront> {
  const requests: HandledRequest[] = [];
  const waiting: ((request: HandledRequest) => void)[] = [];
  const reported: ReportedRequest[] = [];
  const handler: McpRequestHandler = {
    identity: { name: "tested", version: "0" },
    capabilities: () => ({ tools: true, listChanged: {} }) as ServerCapabilities,
    inputSchema: (tool) => schemas[tool],
    onRequest: ({ client }, { revision, version }) => {
      const request = { name: client, revision: revision.name, version, isOpen: true };
      reported.push(request);
      return () => void (request.isOpen = false);
    },
    request: (op, _caller, ctx) =>
      new Promise((answer) => {
        const request = { op, ctx, answer };
        const waiter = waiting.shift();
        if (waiter) waiter(request);
        else requests.push(request);
      }),
    storeSuspended: async () => "",
    resume: async () => ({ type: "complete", result: {} }),
    listen: () => ({ stop: () => {} }),
  };
  const clock = new ManualClock();
  const front = new HttpFront({ handler, clock });
  return {
    clock,
    reported,
    url: `http://127.0.0.1:${await listenFront(front)}/mcp`,
    next: () =>
      new Promise((resolve) => {
        const request = requests.shift();
        if (request) resolve(request);
        else waiting.push(resolve);
      }),
  };
}

/** Serves the front on a free port until the test ends. Returns the port. */
export async function listenFront(front: HttpFront): Promise<number> {
  const principal = { id: "client", name: "client", mayApprove: true };
  const server = createServer((request, response) => void front.handle(request, response, principal).catch(() => {}));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    front.close();
    server.close();
    server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
}

export const done: Outcome = { type: "complete", result: { content: [] } };
