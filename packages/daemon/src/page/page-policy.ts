/** The security headers of the page. Pure. */
import type { SecurityHeaders } from "./page-files.ts";

/**
 * Forbids inline scripts, other hosts, and frames around the page. Only the sandbox of Apps may be a frame in the page.
 * Images and audio in results use data: and blob: URLs.
 */
export function pageHeaders(sandboxOrigin: string): SecurityHeaders {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "worker-src 'none'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "media-src data: blob:",
    "connect-src 'self'",
    `frame-src ${sandboxOrigin}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ];
  return {
    "content-security-policy": policy.join("; "),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": PERMISSIONS_POLICY,
  };
}

/** The browser features that neither the page nor an App needs. */
export const PERMISSIONS_POLICY = [
  "camera",
  "display-capture",
  "geolocation",
  "hid",
  "microphone",
  "midi",
  "payment",
  "serial",
  "usb",
]
  .map((feature) => `${feature}=()`)
  .join(", ");
