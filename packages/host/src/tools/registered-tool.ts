/** A tool in the list of the registry: the fields that callers see, and its definition. */
import { parseToolUi } from "@plugboard/contracts";
import type { OfferedTool, Tool } from "@plugboard/contracts";
import { pinOf } from "./pins.ts";

export interface RegisteredTool extends OfferedTool {
  /** The definition as the server sent it. Not enumerable, so that JSON does not contain it twice. */
  readonly definition: Tool;
}

export interface ToolRegistration {
  readonly name: string;
  readonly server: string;
  readonly origin: OfferedTool["origin"];
  readonly version?: string | undefined;
  readonly definition: Tool;
}

export function registeredTool({ definition, ...registration }: ToolRegistration): RegisteredTool {
  const { name: tool, title, description = "", inputSchema, outputSchema, annotations, _meta } = definition;
  const ui = parseToolUi(_meta);
  const offered: OfferedTool = {
    name: registration.name,
    server: registration.server,
    tool,
    ...(title !== undefined && { title }),
    description,
    inputSchema,
    ...(outputSchema && { outputSchema }),
    ...(annotations && { annotations }),
    ...(ui && { ui }),
    origin: registration.origin,
    ...(registration.version !== undefined && { version: registration.version }),
    // Computed on access, because lists are created far more often than pins are read.
    get pin() {
      return pinOf(definition);
    },
  };
  return Object.defineProperty(offered, "definition", { value: definition }) as RegisteredTool;
}
