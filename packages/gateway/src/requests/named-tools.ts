/**
 * Finds the tools of a server that a request of an extension names, because such a request needs their permission. Only
 * the extension knows what its params mean. So the params `name` and `tool` may name any tool, and any other text in
 * the params counts if it is the name of a tool that the client must not use.
 */
import { isJsonObject } from "@plugboard/contracts";
import type { Json, JsonObject } from "@plugboard/contracts";
import type { ToolKey } from "@plugboard/host/forwarding";
import type { OpenWorkspace } from "@plugboard/host/workspace";
import type { FrontView } from "../profiles/front-view.ts";

interface NamedToolsOptions {
  readonly workspace: Pick<OpenWorkspace, "tools">;
  readonly view: Pick<FrontView, "findTool" | "includesTool">;
}

export function namedTools(server: string, params: JsonObject, { workspace, view }: NamedToolsOptions): ToolKey[] {
  const find = (text: string): ToolKey | undefined => {
    const own = workspace.tools.find({ server, tool: text });
    const found = own ?? view.findTool(text);
    return found?.server === server ? { server, tool: found.tool } : undefined;
  };
  const { name, tool } = params;
  const named = [name, tool].flatMap((text) => (typeof text === "string" ? (find(text) ?? []) : []));
  const mentioned = [...textsIn(params)].flatMap((text) => find(text) ?? []);
  const unusable = mentioned.filter((key) => !view.includesTool(key));
  return [...new Map([...unusable, ...named].map((key) => [key.tool, key])).values()];
}

function textsIn(value: Json | undefined, texts = new Set<string>()): Set<string> {
  if (typeof value === "string") texts.add(value);
  else if (Array.isArray(value)) for (const item of value) textsIn(item, texts);
  else if (isJsonObject(value)) for (const field of Object.values(value)) textsIn(field, texts);
  return texts;
}
