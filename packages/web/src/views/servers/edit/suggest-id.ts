/** Suggests the id of a new server. Pure. */
import { splitShellWords } from "@plugboard/contracts";
import type { Draft } from "./draft.ts";
import { parseDefinition } from "./parse-definition.ts";

/** Returns an empty text if neither a package, a URL nor the pasted JSON has a name. */
export function suggestId({ kind, command, url, json }: Draft): string {
  if (kind === "command") return fromWords(splitShellWords(command).words);
  if (kind === "url") return fromUrl(url);
  const parsed = parseDefinition(json);
  if ("error" in parsed) return "";
  const { id, entry } = parsed;
  if (id !== undefined) return toId(id);
  if (typeof entry["url"] === "string") return fromUrl(entry["url"]);
  const args = Array.isArray(entry["args"]) ? entry["args"] : [];
  return fromWords([entry["command"], ...args].filter((word) => typeof word === "string"));
}

/** `npx -y @modelcontextprotocol/server-memory@1` → `memory` */
function fromWords([command, ...args]: readonly string[]): string {
  if (command === undefined || !/^(?:npx|bunx|uvx)$/.test(command)) return "";
  const name = args.find((word) => !word.startsWith("-")) ?? "";
  const [base = ""] = name.replace(/^@[^/]*\//, "").split(/[@=]/);
  return toId(base.replace(/^(?:mcp-server-|server-|mcp-)|(?:-mcp-server|-mcp|-server)$/g, ""));
}

/** `https://mcp.notion.com/mcp` → `notion` */
function fromUrl(url: string): string {
  if (!URL.canParse(url)) return "";
  const labels = new URL(url).hostname.split(".");
  return toId(labels.find((label) => !["www", "mcp", "api"].includes(label)) ?? "");
}

/** Returns an empty text for a number, such as the beginning of an IP address. */
function toId(name: string): string {
  const id = name.replaceAll(/[^a-zA-Z0-9_-]+/g, "-").slice(0, 64);
  return /[a-zA-Z]/.test(id) ? id : "";
}
