/**
 * All routes of a running host: the right that a request needs, whether it must use the local name of the port, and how
 * much of its body is read. Only the port checks the rights of its routes. The other listeners serve every client that
 * can reach them. docs/rights.md is generated from this table.
 */
import {
  APP_SANDBOX_PATH,
  CONTROL_API_PATH,
  PAGE_CLEAR_PATH,
  PAGE_SESSION_PATH,
  STDIO_UPGRADE_PROTOCOL,
} from "@plugboard/contracts";
import type { Right } from "@plugboard/contracts";

/** `link` and `sandbox` are ports of their own, for the document that opens the page and for Apps. */
type ListenerName = "port" | "link" | "sandbox" | "socket";

export interface Route {
  readonly listener: ListenerName;
  /** The methods and the path, for the docs. */
  readonly name: string;
  readonly right: Right;
  /** True if the route exists only under the local name of the port, not under the public one. */
  readonly localOnly?: true;
  readonly body: BodyLimits;
}

export interface BodyLimits {
  readonly maxBytes: number;
  /** How long the body may take to arrive. By default only the timeout of the HTTP server applies. */
  readonly withinMs?: number;
}

const NO_BODY: BodyLimits = { maxBytes: 0 };
/** The body of an unauthenticated request: room for a one-time code only. */
const CODE: BodyLimits = { maxBytes: 1024, withinMs: 5000 };
const MESSAGE: BodyLimits = { maxBytes: 16 * 1024 * 1024 };

export const ROUTES = {
  health: { listener: "port", name: "GET /healthz", right: "ask_health", body: NO_BODY },
  metadata: { listener: "port", name: "GET /.well-known/…", right: "open_page", body: NO_BODY },
  mcp: { listener: "port", name: "/mcp, /mcp/p/<profile>", right: "use_gateway", body: MESSAGE },
  metrics: { listener: "port", name: "GET /metrics", right: "read_metrics", localOnly: true, body: NO_BODY },
  control: { listener: "port", name: `${CONTROL_API_PATH}/…`, right: "open_channel", localOnly: true, body: MESSAGE },
  pageSession: {
    listener: "port",
    name: `POST, DELETE ${PAGE_SESSION_PATH}`,
    right: "open_page",
    localOnly: true,
    body: CODE,
  },
  pageClear: { listener: "port", name: `POST ${PAGE_CLEAR_PATH}`, right: "open_page", localOnly: true, body: NO_BODY },
  pageFiles: { listener: "port", name: "GET / and its files", right: "open_page", localOnly: true, body: NO_BODY },
  link: { listener: "link", name: "GET, POST /", right: "open_page", localOnly: true, body: CODE },
  sandbox: { listener: "sandbox", name: `GET ${APP_SANDBOX_PATH}`, right: "open_page", localOnly: true, body: NO_BODY },
  sandboxClear: {
    listener: "sandbox",
    name: `POST ${PAGE_CLEAR_PATH}`,
    right: "open_page",
    localOnly: true,
    body: NO_BODY,
  },
  socketControl: { listener: "socket", name: `${CONTROL_API_PATH}/…`, right: "open_channel", body: MESSAGE },
  stdio: {
    listener: "socket",
    name: `GET ${CONTROL_API_PATH}/channels/…/stdio, upgraded to ${STDIO_UPGRADE_PROTOCOL}`,
    right: "use_gateway",
    body: NO_BODY,
  },
} as const satisfies { readonly [name: string]: Route };

const MCP_PATH = /^\/mcp(?:\/p\/([\w-]+))?$/;

/** Returns the profile in the path of an MCP endpoint, or null for any other path. */
export function mcpPath(pathname: string): { readonly profile: string | undefined } | null {
  const found = MCP_PATH.exec(pathname);
  return found && { profile: found[1] };
}

/**
 * Returns the route of a request to the port. The files of the page have no common prefix, so they get all other paths.
 */
export function portRouteAt(pathname: string): Route {
  if (pathname === "/healthz") return ROUTES.health;
  if (pathname.startsWith("/.well-known/")) return ROUTES.metadata;
  if (mcpPath(pathname)) return ROUTES.mcp;
  if (pathname === "/metrics") return ROUTES.metrics;
  if (pathname === PAGE_SESSION_PATH) return ROUTES.pageSession;
  if (pathname === PAGE_CLEAR_PATH) return ROUTES.pageClear;
  return pathname.startsWith(`${CONTROL_API_PATH}/`) ? ROUTES.control : ROUTES.pageFiles;
}
