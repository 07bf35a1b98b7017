/** The security headers of the sandbox of an App. The App's own frame inherits the policy. Pure. */
import type { AppOrigins } from "@plugboard/contracts";
import type { SecurityHeaders } from "./page-files.ts";
import { PERMISSIONS_POLICY } from "./page-policy.ts";

/**
 * Allows the inline code of the App, and the origins that the App declares. These must have been checked.
 * `pagePort` is the port of the page, the only document that may show the sandbox.
 */
export function sandboxHeaders(
  { connect, resources, frames, baseUris }: AppOrigins,
  pagePort: number,
): SecurityHeaders {
  const policy = [
    "default-src 'none'",
    directive("script-src", ["'self'", "'unsafe-inline'", "'unsafe-eval'", "blob:", ...resources]),
    directive("style-src", ["'unsafe-inline'", ...resources]),
    directive("img-src", ["data:", "blob:", ...resources]),
    directive("font-src", ["data:", ...resources]),
    directive("media-src", ["data:", "blob:", ...resources]),
    directive("connect-src", connect),
    directive("frame-src", frames),
    directive("base-uri", baseUris),
    "worker-src blob:",
    "form-action 'none'",
    `frame-ancestors http://127.0.0.1:${pagePort} http://localhost:${pagePort}`,
  ];
  return {
    "content-security-policy": policy.join("; "),
    "connection-allowlist": connectionAllowlist([...connect, ...resources, ...frames]),
    "x-content-type-options": "nosniff",
    // An App could send data out in the host names that the browser looks up.
    "x-dns-prefetch-control": "off",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": PERMISSIONS_POLICY,
  };
}

/**
 * Limits the connections that a content security policy doesn't: WebRTC, DNS lookups and connections ahead of a
 * request. Redirects are allowed here, because the policy checks them. Browsers that don't know this header ignore it.
 */
function connectionAllowlist(origins: readonly string[]): string {
  const patterns = [...new Set(origins)].map((origin) => `"${origin}/*"`);
  return `(${["response-origin", ...patterns].join(" ")}); redirects=allow; webrtc=block`;
}

function directive(name: string, sources: readonly string[]): string {
  return `${name} ${sources.length > 0 ? sources.join(" ") : "'none'"}`;
}
