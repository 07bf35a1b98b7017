/**
 * An HTTP server on loopback that records its requests and responses and can make single requests fail. The fixture
 * that uses it supplies the request handler, which can read the body although it was recorded before.
 */
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  /** The path with the query, as received. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The parameters of the query and of a form body. */
  readonly parameters: { readonly [name: string]: string };
  /** Undefined until the request has been answered. */
  readonly response?: RecordedResponse;
}

export interface RecordedResponse {
  readonly status: number;
  readonly headers?: { readonly [name: string]: string };
  readonly body: string;
}

/**
 * How a request fails. `hang`: it is not handled, and the client waits. `reset`: it is not handled, and the connection
 * is closed. `lose`: it is handled, but its response is not sent. `until`: it is handled when the promise has resolved.
 * A response, or a function that makes one: this response is sent, and the request is not handled.
 */
export type Fault =
  | "hang"
  | "reset"
  | "lose"
  | { readonly until: Promise<unknown> }
  | RecordedResponse
  | ((request: RecordedRequest) => RecordedResponse);

export interface Recording {
  /** The requests in order of arrival. */
  readonly requests: readonly RecordedRequest[];
  /**
   * Applies the fault to the next matching request, once. Resolves with the request when it has arrived or, for `lose`,
   * has been handled.
   */
  injectFault(matches: RequestFilter, fault: Fault): Promise<RecordedRequest>;
  /** Resolves when that many more matching requests have been answered. */
  answered(matches: RequestFilter, count?: number): Promise<void>;
  /** Closes all open connections. */
  close(): Promise<void>;
}

type RequestFilter = (request: RecordedRequest) => boolean;

export type RequestHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  recorded: RecordedRequest,
) => Promise<void>;

interface PendingFault {
  readonly matches: RequestFilter;
  readonly fault: Fault;
  readonly onTriggered: (request: RecordedRequest) => void;
}

/** `makeHandler` gets the origin, which is known only after the server listens. */
export async function startRecordingHttp(
  makeHandler: (origin: string) => RequestHandler | Promise<RequestHandler>,
): Promise<Recording> {
  const requests: MutableRequest[] = [];
  const pendingFaults: PendingFault[] = [];
  const responseListeners = new Set<(request: RecordedRequest) => void>();
  const server = createServer((incoming, response) => {
    const handle = async (body: string): Promise<void> => {
      const request = record(incoming, body);
      requests.push(request);
      const index = pendingFaults.findIndex(({ matches }) => matches(request));
      const [pendingFault] = index < 0 ? [] : pendingFaults.splice(index, 1);
      recordResponse(request, response, pendingFault);
      response.once("finish", () => responseListeners.forEach((onAnswered) => onAnswered(request)));
      if (pendingFault && (await applyFault(request, response, pendingFault))) return;
      await serve(replay(incoming, body), response, request).catch((error: unknown) =>
        sendServerError(response, error),
      );
    };
    text(incoming).then(handle, () => response.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const serve = await makeHandler(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);

  return {
    requests,
    injectFault: (matches, fault) => new Promise((onTriggered) => pendingFaults.push({ matches, fault, onTriggered })),
    answered: (matches, count = 1) =>
      new Promise((resolve) => {
        let remaining = count;
        const onAnswered = (request: RecordedRequest): void => {
          if (!matches(request) || --remaining > 0) return;
          responseListeners.delete(onAnswered);
          resolve();
        };
        responseListeners.add(onAnswered);
      }),
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

type MutableRequest = { -readonly [K in keyof RecordedRequest]: RecordedRequest[K] };

function record({ method = "", url = "", headers }: IncomingMessage, body: string): MutableRequest {
  const { pathname: path, searchParams } = new URL(url, "http://127.0.0.1");
  const isForm = headers["content-type"]?.startsWith("application/x-www-form-urlencoded") ?? false;
  const parameters = Object.fromEntries([...searchParams, ...new URLSearchParams(isForm ? body : "")]);
  return { method, path, url, headers, body, parameters };
}

/** Returns a copy of the request with an unread body. */
function replay(incoming: IncomingMessage, body: string): IncomingMessage {
  const { method, url, headers, rawHeaders, httpVersion } = incoming;
  const again = new IncomingMessage(incoming.socket);
  // An incomplete request would destroy the socket when it ends.
  Object.assign(again, { method, url, headers, rawHeaders, httpVersion, complete: true });
  again.push(body);
  again.push(null);
  return again;
}

/** Records the response while it is written. Sends nothing to the client if the fault is `lose`. */
function recordResponse(
  request: MutableRequest,
  response: ServerResponse,
  pendingFault: PendingFault | undefined,
): void {
  const lost = pendingFault?.fault === "lose";
  const pieces: Buffer[] = [];
  const collect = (piece: unknown): void => {
    if (typeof piece === "string" || piece instanceof Uint8Array) pieces.push(Buffer.from(piece as string));
  };
  const methods = response as unknown as { [method: string]: (...args: unknown[]) => unknown };
  const original = (method: string) => methods[method]?.bind(response) ?? (() => {});
  const [writeHead, write, end] = [original("writeHead"), original("write"), original("end")];

  // Headers passed to `writeHead` would not appear in `getHeaders`, so they are set one by one.
  methods["writeHead"] = (status, headers) => {
    for (const [name, value] of Object.entries(headers ?? {})) response.setHeader(name, value as string);
    response.statusCode = status as number;
    return lost ? response : writeHead(status);
  };
  methods["write"] = (...args) => {
    collect(args[0]);
    return lost || write(...args);
  };
  methods["end"] = (...args) => {
    collect(args[0]);
    const headers = Object.entries(response.getHeaders()).map(([name, value]) => [name, String(value)]);
    request.response = {
      status: response.statusCode,
      headers: Object.fromEntries(headers) as { [name: string]: string },
      body: Buffer.concat(pieces).toString(),
    };
    if (!lost) return end(...args);
    pendingFault.onTriggered(request);
    return response;
  };
}

/** Returns true if the request must not be handled any further. */
async function applyFault(
  request: RecordedRequest,
  response: ServerResponse,
  { fault, onTriggered }: PendingFault,
): Promise<boolean> {
  if (fault === "lose") return false;
  if (fault === "reset") response.destroy();
  else if (fault !== "hang" && !("until" in fault)) {
    const { status, headers = {}, body } = typeof fault === "function" ? fault(request) : fault;
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(body);
  }
  onTriggered(request);
  if (typeof fault !== "object" || !("until" in fault)) return true;
  await fault.until;
  return false;
}

function sendServerError(response: ServerResponse, error: unknown): void {
  if (!response.headersSent) response.writeHead(500);
  response.end(String(error));
}
