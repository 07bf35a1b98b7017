/**
 * MCP servers from npm that list their tools without a network and without an account. `npm run test:long` installs
 * them. They need Node 22.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Command } from "./fixture-process.ts";
import { NO_PROXY_ENV } from "./programs/loopback-namespace.ts";
import { nodeFolder } from "./programs/node-programs.ts";

interface PublishedServer extends Command {
  readonly env: { readonly [name: string]: string };
}

/** The environment of each server. The keys are not valid anywhere, but most servers don't start without a key. */
const ENV: { readonly [name: string]: { readonly [name: string]: string } } = {
  "@zereight/mcp-gitlab": { GITLAB_PERSONAL_ACCESS_TOKEN: "none", GITLAB_TOOLSETS: "all" },
  "@playwright/mcp": {},
  "chrome-devtools-mcp": { CHROME_DEVTOOLS_MCP_NO_USAGE_STATISTICS: "1" },
  "@notionhq/notion-mcp-server": { NOTION_TOKEN: "none" },
  "@upstash/context7-mcp": {},
  "firecrawl-mcp": { FIRECRAWL_API_KEY: "none" },
  "@modelcontextprotocol/server-github": { GITHUB_PERSONAL_ACCESS_TOKEN: "none" },
  "tavily-mcp": { TAVILY_API_KEY: "none" },
};

export const publishedServers: readonly string[] = Object.keys(ENV);

/** Runs the server without a network: in a namespace of its own, or behind a proxy that does not exist. */
export function publishedServer(name: string): PublishedServer {
  const { command, args } = publishedProgram(name);
  if (process.platform !== "linux") return { command, args, env: { ...ENV[name]!, ...NO_PROXY_ENV } };
  // A user other than root needs a user namespace as well.
  const flags = process.getuid?.() === 0 ? ["-n"] : ["-r", "-n"];
  return { command: "unshare", args: [...flags, command, ...args], env: ENV[name]! };
}

/** Returns the command line of the first program of an installed package. */
export function publishedProgram(name: string): Command {
  const folder = fileURLToPath(new URL(`../long/node_modules/${name}`, import.meta.url));
  const { bin } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { bin: string | object };
  const [script] = typeof bin === "string" ? [bin] : (Object.values(bin) as string[]);
  return { command: join(nodeFolder(22), "node"), args: [join(folder, script!)] };
}
