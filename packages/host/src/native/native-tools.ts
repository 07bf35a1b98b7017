/** The tools by which a model gets at what servers offer beside tools: their resources and their prompts. */
import type { ServerPrompts } from "../catalog/server-prompts.ts";
import type { ServerResources } from "../catalog/server-resources.ts";
import { promptGet } from "./prompt-get.ts";
import { promptsList } from "./prompts-list.ts";
import { resourceRead } from "./resource-read.ts";
import { resourcesList } from "./resources-list.ts";
import type { NativeTool } from "../tools/native-tool.ts";

export interface NativeToolsOptions {
  readonly resources: Pick<ServerResources, "list" | "templates" | "read">;
  readonly prompts: Pick<ServerPrompts, "list" | "get">;
}

export function nativeTools({ resources, prompts }: NativeToolsOptions): NativeTool[] {
  return [resourcesList(resources), resourceRead(resources), promptsList(prompts), promptGet(prompts)];
}
