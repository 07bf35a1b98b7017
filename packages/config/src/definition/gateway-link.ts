/** Recognises commands and URLs that lead to Plugboard's own gateway. Pure. */
import { parseUrl, programName } from "@plugboard/contracts";

/** How a client reaches the gateway. */
export interface GatewayLink {
  readonly kind: "stdio" | "http";
  readonly profile?: string;
}

/** The port of `plugboard serve` unless the user chooses another. */
export const DEFAULT_PORT = 7431;

const PROGRAM = /(?:^|[\\/])plugboard(?:\.(?:cmd|exe|ps1|[cm]?js))?$/i;
const PACKAGE = /^(?:plugboard|@plugboard\/cli)(?:@[^/]*)?$/;
/** Programs of this machine that run another program. Others, such as `ssh`, may start a Plugboard somewhere else. */
const LAUNCHERS = new Set(["node", "bun", "bunx", "npx", "npm", "pnpm", "pnpx", "yarn", "cmd", "env"]);

/** Expects the program and its arguments. Returns undefined for another command. */
export function parseGatewayCommand(words: readonly string[]): GatewayLink | undefined {
  const program = words.findIndex((word) => PROGRAM.test(word) || PACKAGE.test(word));
  if (program < 0 || (program > 0 && !LAUNCHERS.has(programName(words[0]!)))) return undefined;
  const args = words.slice(program + 1);
  if (!args.includes("stdio")) return undefined;
  const option = args.indexOf("--profile");
  const profile =
    option >= 0 ? args[option + 1] : args.find((arg) => arg.startsWith("--profile="))?.slice("--profile=".length);
  return { kind: "stdio", ...(profile !== undefined && { profile }) };
}

/** Returns undefined for a URL that is not on this machine, or has another path than the gateway. */
export function parseGatewayUrl(text: string): (GatewayLink & { readonly port: number }) | undefined {
  const url = parseUrl(text);
  if (!url) return undefined;
  const { protocol, hostname, port, pathname } = url;
  if (protocol !== "http:" || !/^(?:127\.0\.0\.1|localhost|\[::1\])$/.test(hostname)) return undefined;
  const match = /^\/mcp(?:\/p\/([A-Za-z0-9_-]+))?\/?$/.exec(pathname);
  if (!match) return undefined;
  return { kind: "http", port: Number(port || 80), ...(match[1] !== undefined && { profile: match[1] }) };
}
