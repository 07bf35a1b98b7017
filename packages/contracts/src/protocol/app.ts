/**
 * MCP Apps (`io.modelcontextprotocol/ui`): the user interface that a tool names, and what it declares to use.
 * Everything here was written by a server and is untrusted. Pure.
 */
import { isJsonObject } from "../lib/json.ts";
import type { Json, JsonObject } from "../lib/json.ts";
import { parseUrl } from "../lib/parse-url.ts";

export const APPS_EXTENSION = "io.modelcontextprotocol/ui";
export const APP_MIME_TYPE = "text/html;profile=mcp-app";

/** How a tool takes part in Apps. */
export interface ToolUi {
  /** The `ui://` resource that shows results of the tool. Absent for a tool that has no view of its own. */
  readonly resourceUri?: string;
  /** False if the tool is only for Apps of its server, and no model may see it. */
  readonly forModel: boolean;
  /** False if Apps may not call the tool. */
  readonly forApps: boolean;
}

/** Returns undefined if the `_meta` of a tool says nothing about Apps. Older servers use a flat key. */
export function parseToolUi(meta: Json | undefined): ToolUi | undefined {
  if (!isJsonObject(meta)) return undefined;
  const { ui, "ui/resourceUri": flatUri } = meta;
  const { resourceUri = flatUri, visibility } = isJsonObject(ui) ? ui : {};
  const isAppUri = typeof resourceUri === "string" && resourceUri.startsWith("ui://");
  if (!isAppUri && !Array.isArray(visibility)) return undefined;
  const isFor = (audience: string) => !Array.isArray(visibility) || visibility.includes(audience);
  return { ...(isAppUri && { resourceUri }), forModel: isFor("model"), forApps: isFor("app") };
}

/** The origins that an App declares, by what it uses them for. */
export interface AppOrigins {
  /** For requests. */
  readonly connect: readonly string[];
  /** For scripts, styles, images, fonts and media. */
  readonly resources: readonly string[];
  /** For frames inside the App. */
  readonly frames: readonly string[];
  /** For the base of relative URLs. */
  readonly baseUris: readonly string[];
}

export const NO_APP_ORIGINS: AppOrigins = { connect: [], resources: [], frames: [], baseUris: [] };

/** What the resource of an App declares in its `_meta`. */
export interface AppDeclaration {
  readonly origins: AppOrigins;
  /** Such as `camera`. The page grants none. */
  readonly permissions: readonly string[];
  readonly prefersBorder?: boolean;
}

export function parseAppDeclaration(meta: Json | undefined): AppDeclaration {
  const ui = isJsonObject(meta) && isJsonObject(meta["ui"]) ? meta["ui"] : {};
  const csp = isJsonObject(ui["csp"]) ? ui["csp"] : {};
  const { permissions, prefersBorder } = ui;
  return {
    origins: {
      connect: texts(csp["connectDomains"]),
      resources: texts(csp["resourceDomains"]),
      frames: texts(csp["frameDomains"]),
      baseUris: texts(csp["baseUriDomains"]),
    },
    permissions: isJsonObject(permissions) ? Object.keys(permissions).slice(0, MAX_PERMISSIONS) : [],
    ...(typeof prefersBorder === "boolean" && { prefersBorder }),
  };
}

export interface CheckedOrigins {
  /** The origins that an App may use, each as it stands in a content security policy. */
  readonly allowed: AppOrigins;
  readonly refused: readonly RefusedOrigin[];
}

export interface RefusedOrigin {
  readonly origin: string;
  readonly reason: string;
}

/**
 * Separates the origins that an App may use from those that it must not. An allowed origin has no character that could
 * end a directive of the content security policy. `ownPorts` are the ports of the host, which an App must not reach.
 */
export function checkAppOrigins(origins: AppOrigins, ownPorts: readonly number[]): CheckedOrigins {
  const refused = new Map<string, string>();
  const check = (declared: readonly string[]) => {
    const allowed = declared.slice(0, MAX_ORIGINS).flatMap((text) => {
      const checked = checkOrigin(text, ownPorts);
      if ("origin" in checked) return checked.origin;
      refused.set(text, checked.reason);
      return [];
    });
    for (const text of declared.slice(MAX_ORIGINS)) refused.set(text, `an App may name ${MAX_ORIGINS} origins`);
    return [...new Set(allowed)];
  };
  const { connect, resources, frames, baseUris } = origins;
  const allowed = {
    connect: check(connect),
    resources: check(resources),
    frames: check(frames),
    baseUris: check(baseUris),
  };
  return { allowed, refused: [...refused].map(([origin, reason]) => ({ origin, reason })) };
}

/** Returns true for an IP address or a name of a local network, which a page of the web could not reach by itself. */
export function mayBeLocal(origin: string): boolean {
  const hostname = parseUrl(origin.replace(WILDCARD, "$1"))?.hostname ?? "";
  return !hostname.includes(".") || /^[\d.]+$|\.(?:local|localhost|internal|lan|home\.arpa)$/.test(hostname);
}

const MAX_ORIGINS = 30;
const MAX_PERMISSIONS = 30;
const SCHEMES: ReadonlySet<string> = new Set(["http:", "https:", "ws:", "wss:"]);
/** A name or an IPv4 address. A policy can't name an IPv6 address. */
const HOST_NAME = /^[a-z0-9-]+(?:\.[a-z0-9-]+)*$/;
/** The scheme and a wildcard for subdomains. Removed before parsing, because browsers parse a wildcard differently. */
const WILDCARD = /^(\w+:\/\/)\*\./;

function checkOrigin(text: string, ownPorts: readonly number[]): { readonly origin: string } | { reason: string } {
  const hasWildcard = WILDCARD.test(text);
  const url = parseUrl(text.replace(WILDCARD, "$1"));
  if (!url || !SCHEMES.has(url.protocol)) return { reason: "it is not a web origin such as https://example.com" };
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "" || url.pathname !== "/") {
    return { reason: "it is more than an origin" };
  }
  const { hostname, port } = url;
  if (!HOST_NAME.test(hostname)) return { reason: "its host name can't be part of a policy" };
  if (hasWildcard && !hostname.includes(".")) return { reason: "it covers a whole top-level domain" };
  const isSecure = url.protocol === "https:" || url.protocol === "wss:";
  const isOwn = isLoopbackName(hostname) && ownPorts.includes(Number(port || (isSecure ? 443 : 80)));
  if (isOwn) return { reason: "it is this host itself" };
  return { origin: `${url.protocol}//${hasWildcard ? "*." : ""}${url.host}` };
}

function isLoopbackName(hostname: string): boolean {
  return hostname === "localhost" || hostname.endsWith(".localhost") || /^127\.|^0\.0\.0\.0$/.test(hostname);
}

function texts(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}

/** Returns the view of an App from the contents of its resource. Undefined if there is none. */
export function findAppHtml(
  contents: readonly JsonObject[],
): { readonly html: string; readonly meta: Json | undefined } | undefined {
  for (const { mimeType, text, blob, _meta: meta } of contents) {
    if (typeof mimeType !== "string" || !/^text\/html\s*;\s*profile="?mcp-app"?$/i.test(mimeType)) continue;
    if (typeof text === "string") return { html: text, meta };
    if (typeof blob === "string") return { html: decodeBase64(blob), meta };
  }
  return undefined;
}

function decodeBase64(text: string): string {
  return new TextDecoder().decode(Uint8Array.from(atob(text), (character) => character.charCodeAt(0)));
}
