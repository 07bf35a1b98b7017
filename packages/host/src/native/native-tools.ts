/** Makes the host's own tools, which give a model access to the resources and prompts of servers. */
import type { ServerPrompts } from "../catalog/server-prompts.ts";
import type { ServerResources } from "../catalog/server-resources.ts";
import type { NativeTool } from "../tools/native-tool.ts";
import { promptGet, promptsList } from "./prompt-tools.ts";
import { resourceRead, resourcesList } from "./resource-tools.ts";

export interface NativeToolsOptions {
  readonly resources: Pick<ServerResources, "list" | "templates" | "read">;
  readonly prompts: Pick<ServerPrompts, "list" | "get">;
}

export function nativeTools({ resources, prompts }: NativeToolsOptions): NativeTool[] {
  return [resourcesList(resources), resourceRead(resources), promptsList(prompts), promptGet(prompts)];
}
