/** The command lines of third-party MCP servers, as published. */
import { fileURLToPath } from "node:url";
import type { Command } from "./fixture-process.ts";

export function filesystemStdio(...folders: readonly string[]): Command {
  return publishedServer(import.meta.resolve("@modelcontextprotocol/server-filesystem/dist/index.js"), ...folders);
}

/** Stores its graph in the file that MEMORY_FILE_PATH names. */
export function memoryStdio(): Command {
  return publishedServer(import.meta.resolve("@modelcontextprotocol/server-memory/dist/index.js"));
}

export function sequentialThinkingStdio(): Command {
  return publishedServer(import.meta.resolve("@modelcontextprotocol/server-sequential-thinking/dist/index.js"));
}

/** A server of the MCP Apps project with an App that uses every feature. */
export function debugAppStdio(): Command {
  return publishedServer(besideMain(import.meta.resolve("@modelcontextprotocol/server-debug")), "--stdio");
}

/** A server of the MCP Apps project whose App divides a budget. */
export function budgetAppStdio(): Command {
  return publishedServer(besideMain(import.meta.resolve("@modelcontextprotocol/server-budget-allocator")), "--stdio");
}

/** Not part of the usual install: `npm run test:long` installs it. */
export function postgresStdio(databaseUrl: string): Command {
  const installed = new URL("../long/node_modules/", import.meta.url);
  const script = new URL("@modelcontextprotocol/server-postgres/dist/index.js", installed);
  return publishedServer(script.href, databaseUrl);
}

/** The program of a package that exports only its library. */
function besideMain(library: string): string {
  return new URL("./index.js", library).href;
}

function publishedServer(script: string, ...args: readonly string[]): Command {
  return { command: process.execPath, args: [fileURLToPath(script), ...args] };
}
