/**
 * Serves the document that shows MCP Apps, on a port of its own. The page and an App must have different origins, so
 * that an App can reach neither the page's key nor its document. The document is the same for all Apps. Only its policy
 * differs, by the origins that the page asks for.
 */
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { APP_SANDBOX_PATH, checkAppOrigins, HostError, PAGE_CLEAR_PATH } from "@plugboard/contracts";
import { checkTcpOrigin, originHeaders } from "../http/check-origin.ts";
import { limitConnections } from "../http/limit-connections.ts";
import { DrainingHttpServer } from "../http/draining-http-server.ts";
import { clearOrigin } from "./clear-origin.ts";
import type { PageFiles } from "./page-files.ts";
import { sandboxHeaders } from "./sandbox-policy.ts";

const MAX_CONNECTIONS = 64;

export interface AppSandboxOptions {
  readonly files: PageFiles;
  /** Returns the port of the page, once it is open. */
  readonly pagePort: () => number;
  /** Returns the origin of the document that opens the page. */
  readonly linkOrigin: () => string | undefined;
}

export class AppSandbox {
  /** Listens from the first use of `origin` on. */
  readonly server = new DrainingHttpServer((request, response) => this.#handle(request, response));
  readonly #options: AppSandboxOptions;
  #origin: Promise<string> | undefined;

  constructor(options: AppSandboxOptions) {
    this.#options = options;
    limitConnections(this.server.server, MAX_CONNECTIONS);
  }

  /** Returns the origin, such as `http://127.0.0.1:7432`. Begins to listen on first use. */
  get origin(): Promise<string> {
    this.#origin ??= this.#listen().catch((error: unknown) => {
      this.#origin = undefined;
      throw error;
    });
    return this.#origin;
  }

  /**
   * Prefers the port after the page's, which is easy to forward from another machine. If that port is in use, forbidden
   * or beyond 65535, takes any free port.
   */
  async #listen(): Promise<string> {
    await this.#listenOn(this.#options.pagePort() + 1).catch(() => this.#listenOn(0));
    return `http://127.0.0.1:${this.#port}`;
  }

  async #listenOn(port: number): Promise<void> {
    this.server.server.listen(port, "127.0.0.1");
    await once(this.server.server, "listening");
  }

  get #port(): number {
    return (this.server.server.address() as AddressInfo).port;
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { socket, method } = request;
    const url = request.url!;
    const { files, linkOrigin } = this.#options;
    const connection = {
      localPort: socket.localPort!,
      remoteAddress: socket.remoteAddress,
      publicOrigin: undefined,
      ownOrigin: url === PAGE_CLEAR_PATH ? linkOrigin() : undefined,
    };
    const checked = checkTcpOrigin(originHeaders(request), connection);
    if (checked instanceof HostError) throw checked;
    if (url === PAGE_CLEAR_PATH) return clearOrigin(request, response, linkOrigin());
    const [pathname, query] = url.split("?") as [string, string?];
    const searchParams = new URLSearchParams(query);
    const asked = {
      connect: searchParams.getAll("connect"),
      resources: searchParams.getAll("resources"),
      frames: searchParams.getAll("frames"),
      baseUris: searchParams.getAll("baseUris"),
    };
    const pagePort = this.#options.pagePort();
    const { allowed } = checkAppOrigins(asked, [pagePort, this.#port]);
    const isRead = method === "GET" || method === "HEAD";
    if (isRead && (await files.send(pathname, request, response, sandboxHeaders(allowed, pagePort)))) return;
    throw new HostError("NOT_FOUND", { subject: "file at this URL", suggestion: APP_SANDBOX_PATH });
  }
}
