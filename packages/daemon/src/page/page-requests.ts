/**
 * Answers the requests of the page: its files, its sign-in, and its requests to the control API. `PortRequests` has
 * checked Host and Origin before, and passes only requests that use the local name of the port.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import {
  CONTROL_API_PATH,
  HostError,
  isJsonObject,
  PAGE_CLEAR_PATH,
  PAGE_KEY_HEADER,
  PAGE_SESSION_PATH,
} from "@plugboard/contracts";
import type { Clock } from "@plugboard/contracts";
import { readJsonBody } from "../http/read-json-body.ts";
import type { FailedSignIns } from "../http/failed-sign-ins.ts";
import { ROUTES } from "../http/routes.ts";
import { sendJson } from "../http/send-json.ts";
import type { AppSandbox } from "./app-sandbox.ts";
import { clearOrigin } from "./clear-origin.ts";
import type { PageLinkServer } from "./page-link-server.ts";
import type { PageFiles } from "./page-files.ts";
import { pageHeaders } from "./page-policy.ts";
import { retireWorker } from "./retire-worker.ts";
import { COOKIE_MAX_AGE_SECONDS } from "./page-sessions.ts";
import type { PageSession, PageSessions } from "./page-sessions.ts";

export interface PageRequestsOptions {
  readonly files: PageFiles;
  readonly sandbox: Pick<AppSandbox, "origin">;
  readonly linkServer: Pick<PageLinkServer, "origin">;
  readonly sessions: PageSessions;
  readonly failedSignIns: FailedSignIns;
  readonly clock: Clock;
  /** Called for each request of a signed-in page. */
  readonly onAuthenticated: (response: ServerResponse) => void;
  /** Handles a request of a signed-in page. */
  readonly control: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
}

export class PageRequests {
  readonly #options: PageRequestsOptions;

  constructor(options: PageRequestsOptions) {
    this.#options = options;
  }

  /** Returns false if the request is not for the page. Throws the error to answer with. */
  async handle(pathname: string, request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    if (pathname === PAGE_CLEAR_PATH) {
      clearOrigin(request, response, this.#options.linkServer.origin);
      return true;
    }
    if (pathname === PAGE_SESSION_PATH) {
      await this.#handleSession(request, response);
      return true;
    }
    if (pathname.startsWith(`${CONTROL_API_PATH}/`) && request.headers[PAGE_KEY_HEADER] !== undefined) {
      if (!this.#isSignedIn(request)) throw this.#options.failedSignIns.countAndMakeError(request);
      this.#options.onAuthenticated(response);
      await this.#options.control(request, response);
      return true;
    }
    if (request.method !== "GET" && request.method !== "HEAD") return false;
    if (retireWorker(request, response)) return true;
    const { files, sandbox } = this.#options;
    return files.send(pathname, request, response, pageHeaders(await sandbox.origin));
  }

  async #handleSession(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { sessions, failedSignIns, clock } = this.#options;
    // A stranger may have sent the request, so its connection ends with it.
    response.setHeader("connection", "close");
    // Every browser sends the header with such a request, and `PortRequests` has compared it with the port's origin.
    if (request.headers.origin === undefined) throw new HostError("FORBIDDEN", { reason: "only the page can sign in" });
    if (request.method === "DELETE") {
      for (const session of sessionsOf(request)) sessions.end(session);
      setCookie(request, response, "", 0);
      return sendJson(response, {});
    }
    const body = request.method === "POST" ? await readJsonBody(request, ROUTES.pageSession.body, clock) : undefined;
    const code = isJsonObject(body) ? body["code"] : undefined;
    const session = typeof code === "string" ? sessions.redeem(code, cookiesOf(request)) : undefined;
    if (!session) throw failedSignIns.countAndMakeError(request);
    setCookie(request, response, session.cookie, COOKIE_MAX_AGE_SECONDS);
    sendJson(response, { key: session.key });
  }

  #isSignedIn(request: IncomingMessage): boolean {
    const site = request.headers["sec-fetch-site"];
    if (site !== undefined && site !== "same-origin") return false;
    return sessionsOf(request).some((session) => this.#options.sessions.has(session));
  }
}

function sessionsOf(request: IncomingMessage): readonly PageSession[] {
  const key = request.headers[PAGE_KEY_HEADER];
  return typeof key === "string" ? cookiesOf(request).map((cookie) => ({ cookie, key })) : [];
}

/** Returns all cookies of our name. A program on another port can add one, which must not sign the browser out. */
function cookiesOf(request: IncomingMessage): readonly string[] {
  const cookies = (request.headers.cookie ?? "").split(/;\s*/);
  const name = `${cookieName(request)}=`;
  return cookies.filter((one) => one.startsWith(name)).map((one) => one.slice(name.length));
}

/** `SameSite=Strict`: browsers never send the cookie with a request that another site causes. */
function setCookie(request: IncomingMessage, response: ServerResponse, value: string, maxAge: number): void {
  const attributes = `Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Strict`;
  response.setHeader("set-cookie", `${cookieName(request)}=${value}; ${attributes}`);
  response.setHeader("cache-control", "no-store");
}

/** Browsers send a cookie to every port of a host name, so each Plugboard host uses its own cookie name. */
function cookieName({ socket }: IncomingMessage): string {
  return `plugboard_${socket.localPort}`;
}
