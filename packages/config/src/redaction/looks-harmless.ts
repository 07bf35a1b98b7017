/** Recognises values that are no secret, even after an option that often takes one. Pure. */

const WORD = /^(?:true|false|yes|no|on|off|none|stdio|sse|https?|streamable-?http|websocket)$/i;
/** Ports, versions, addresses and numeric user ids: `8080`, `3.12`, `127.0.0.1:80:80/tcp`, `1000:1000`. */
const NUMBERS = /^\d{1,5}(?:[.:]\d{1,5}){0,7}(?:\/(?:tcp|udp))?$/;
const SCRIPT = /^[\w.-]+\.(?:py|[cm]?[jt]s|jar|rb|sh|php|pl|lua|wasm|exe|json|toml|ya?ml)$/i;
/** A package or a container image: `@scope/name`, `mcp/fetch:latest`, `ghcr.io/acme/server`. */
const PACKAGE = /^@?[a-z0-9][\w.-]*\/[\w.-]+(?:\/[\w.-]+)*(?:[:@][\w.-]+)?$/i;
const WEB_URL = /^(?:https?|wss?):\/\/[^\s]+$/i;

export function isHarmlessWord(text: string): boolean {
  return WORD.test(text);
}

/** Returns true for a port, a version, a script or a package: a common value of a one-letter option such as `-p`. */
export function isHarmlessForLetter(text: string): boolean {
  return NUMBERS.test(text) || SCRIPT.test(text) || PACKAGE.test(text);
}

/** Returns true for a URL. Users see such a URL, but without its user, its password and the values of its query. */
export function isShownUrl(text: string): boolean {
  return WEB_URL.test(text);
}
