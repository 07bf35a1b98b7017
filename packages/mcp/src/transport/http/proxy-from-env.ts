/** Reads the proxy for a URL from the usual environment variables. Lower-case names take precedence. Pure. */
import { parseUrl } from "@plugboard/contracts";

export type ProxyEnvironment = { readonly [name: string]: string | undefined };

/** Returns undefined for a direct connection. Loopback addresses never use a proxy. */
export function proxyFromEnv({ protocol, hostname, port }: URL, env: ProxyEnvironment): string | undefined {
  const secure = protocol === "https:";
  const proxy = readVariable(env, secure ? "https_proxy" : "http_proxy");
  const host = hostname.replace(/^\[(.*)\]$/, "$1").toLowerCase();
  if (proxy === "" || isLoopback(host)) return undefined;
  if (isExempt(host, port || (secure ? "443" : "80"), readVariable(env, "no_proxy"))) return undefined;
  return proxy.includes("://") ? proxy : `http://${proxy}`;
}

const PROXY_PROTOCOLS: ReadonlySet<string> = new Set(["http:", "https:", "socks5:", "socks:"]);

/** Returns undefined if the text is not the URL of an HTTP or SOCKS proxy. */
export function parseProxyUrl(text: string): URL | undefined {
  const url = parseUrl(text);
  return url && PROXY_PROTOCOLS.has(url.protocol) ? url : undefined;
}

function readVariable(env: ProxyEnvironment, name: string): string {
  return (env[name] || env[name.toUpperCase()] || "").trim();
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host.endsWith(".localhost") || host === "::1" || /^127(?:\.\d+){3}$/.test(host);
}

/** Each `no_proxy` entry is a host or a domain with its subdomains, optionally with a port. */
function isExempt(host: string, port: string, noProxy: string): boolean {
  return noProxy.split(/[\s,]+/).some((entry) => {
    if (entry === "*") return true;
    // An IPv6 address in brackets, a hostname, or a bare IPv6 address, followed by an optional port.
    const [, name = "", entryPort] = /^(\[.*\]|[^:]*|.*:.*:.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
    const domain = name.replace(/^\[(.*)\]$/, "$1").replace(/^\*?\./, "");
    if (domain === "" || (entryPort !== undefined && entryPort !== port)) return false;
    return host === domain || host.endsWith(`.${domain}`);
  });
}
