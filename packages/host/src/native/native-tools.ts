/**
 * The host's own tools that give a model access to resources, prompts and stored outputs. They are offered only while
 * there is something to read.
 */
import { readOutputTool } from "../calls/output/read-output-tool.ts";
import type { ReadOutput } from "../calls/output/read-output-tool.ts";
import type { ServerPrompts } from "../catalog/server-prompts.ts";
import type { ServerResources } from "../catalog/server-resources.ts";
import type { NativeTool } from "../tools/native-tool.ts";
import { promptGet, promptsList } from "./prompt-tools.ts";
import { resourceRead, resourcesList } from "./resource-tools.ts";

export interface NativeToolSources {
  readonly resources: Pick<ServerResources, "list" | "templates" | "read">;
  readonly prompts: Pick<ServerPrompts, "list" | "get">;
  readonly readOutput: ReadOutput;
}

interface NeededTool {
  /** What the tool reads. The tool is offered only while a server offers it, or while an output is stored. */
  readonly reads: "resources" | "prompts" | "outputs";
  /** Makes the tool. Reads only the sources that the tool uses. */
  readonly make: (sources: NativeToolSources) => NativeTool;
}

export const NATIVE_TOOLS: { readonly [name: string]: NeededTool } = {
  mcp_resources_list: { reads: "resources", make: (sources) => resourcesList(sources.resources) },
  mcp_resource_read: { reads: "resources", make: (sources) => resourceRead(sources.resources) },
  mcp_prompts_list: { reads: "prompts", make: (sources) => promptsList(sources.prompts) },
  mcp_prompt_get: { reads: "prompts", make: (sources) => promptGet(sources.prompts) },
  read_output: { reads: "outputs", make: (sources) => readOutputTool(sources.readOutput) },
};
