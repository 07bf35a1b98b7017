/**
 * The way of a sandboxed server to the hosts that its policy lists: a proxy for HTTP, and for everything else with CONNECT.
 * It listens inside of the network namespace of the server, so nothing else reaches it. It resolves a name once and
 * connects to that address. It follows no redirect: a client asks for the new host itself.
 */
import { lookup } from "node:dns/promises";
import { createServer, request } from "node:http";
import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from "node:http";
import { connect } from "node:net";
import type { Server as Listener, Socket } from "node:net";
import { pipeline } from "node:stream";
import { parseUrl } from "@plugboard/contracts";
import { isListed, isLocalAddress, namesLocalHost, normalizeHost } from "./allowed-hosts.ts";

/** A connection that a server has tried to make through the proxy. */
export interface ProxyAttempt {
  readonly host: string;
  readonly port: number;
  /** Why the proxy has refused it. Absent if it was allowed. */
  readonly refused?: "not listed" | "local address" | "unknown host" | undefined;
}

export class HostsProxy {
  readonly #hosts: readonly string[];
  readonly #onAttempt: (attempt: ProxyAttempt) => void;
  readonly #findAddress: typeof lookupAddress;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #listener: Listener | undefined;

  constructor(hosts: readonly string[], onAttempt: (attempt: ProxyAttempt) => void, findAddress = lookupAddress) {
    this.#hosts = hosts;
    this.#findAddress = findAddress;
    this.#onAttempt = onAttempt;
    this.#server = createServer((incoming, response) => void this.#forward(incoming, response));
    this.#server.on(
      "connect",
      (incoming: IncomingMessage, socket: Socket, head: Buffer) => void this.#tunnel(incoming, socket, head),
    );
  }

  /** Serves the connections of a socket that already listens. */
  serve(listener: Listener): void {
    this.#listener = listener;
    listener.on("connection", (socket: Socket) => {
      this.#track(socket);
      this.#server.emit("connection", socket);
    });
    listener.unref();
  }

  close(): void {
    this.#listener?.close();
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  async #forward(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = parseUrl(incoming.url ?? "");
    if (url?.protocol !== "http:")
      return sendText(response, 400, "This is the proxy of a sandbox. It needs a full URL.");
    const port = url.port === "" ? 80 : Number(url.port);
    const address = await this.#resolve(url.hostname, port);
    if (address === undefined) return sendText(response, 403, refusalText(url.hostname));
    const headers = { ...endToEnd(incoming.headers), host: url.host };
    const outgoing = request({
      host: address,
      port,
      path: `${url.pathname}${url.search}`,
      method: incoming.method,
      headers,
    });
    outgoing.on("socket", (socket) => this.#track(socket));
    outgoing.on("error", () => sendText(response, 502, `${url.host} can't be reached.`));
    outgoing.on("response", (answer) => {
      response.writeHead(answer.statusCode ?? 502, endToEnd(answer.headers));
      pipeline(answer, response, () => {});
    });
    // No pipeline, which would destroy the request and thereby the connection that the client may use again.
    incoming.pipe(outgoing);
    response.once("close", () => outgoing.destroy());
  }

  async #tunnel(incoming: IncomingMessage, client: Socket, head: Buffer): Promise<void> {
    client.on("error", () => client.destroy());
    const url = parseUrl(`connect://${incoming.url ?? ""}`);
    const port = Number(url?.port);
    const address = url && port > 0 ? await this.#resolve(url.hostname, port) : undefined;
    if (address === undefined) {
      const text = refusalText(url?.hostname ?? "");
      client.end(
        `HTTP/1.1 403 Forbidden\r\ncontent-type: text/plain\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
      );
      return;
    }
    const target = connect({ host: address, port });
    this.#track(target);
    target.once("error", () => client.end("HTTP/1.1 502 Bad Gateway\r\n\r\n"));
    target.once("connect", () => {
      client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      target.write(head);
      pipeline(client, target, client, () => {});
    });
  }

  /** Returns the address to connect to, or undefined if the connection is refused. */
  async #resolve(hostname: string, port: number): Promise<string | undefined> {
    const host = normalizeHost(hostname);
    const refuse = (refused: ProxyAttempt["refused"]) => {
      this.#onAttempt({ host, port, refused });
      return undefined;
    };
    if (!isListed(this.#hosts, host, port)) return refuse("not listed");
    const address = await this.#findAddress(host).catch(() => undefined);
    if (address === undefined) return refuse("unknown host");
    if (isLocalAddress(address) && !namesLocalHost(host)) return refuse("local address");
    this.#onAttempt({ host, port });
    return address;
  }

  #track(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.once("close", () => this.#sockets.delete(socket));
  }
}

async function lookupAddress(host: string): Promise<string> {
  return (await lookup(host)).address;
}

/** Removes the headers that are meant for one connection. */
function endToEnd(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_BY_HOP.has(name)));
}

const HOP_BY_HOP: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

function refusalText(host: string): string {
  return `The sandbox of this server does not allow ${host}. Add it to \`network\` in its definition.\n`;
}

function sendText(response: ServerResponse, status: number, text: string): void {
  if (response.headersSent) return void response.destroy();
  response.writeHead(status, { "content-type": "text/plain" }).end(text);
}

/** Returns the variables that make programs use the proxy. Node obeys them from version 24 on. */
export function proxyVariables(port: number): { readonly [name: string]: string } {
  const url = `http://127.0.0.1:${port}`;
  const names = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"];
  return {
    ...Object.fromEntries([...names, ...names.map((name) => name.toLowerCase())].map((name) => [name, url])),
    NO_PROXY: "localhost,127.0.0.1,::1",
    no_proxy: "localhost,127.0.0.1,::1",
    NODE_USE_ENV_PROXY: "1",
    npm_config_proxy: url,
    npm_config_https_proxy: url,
  };
}
