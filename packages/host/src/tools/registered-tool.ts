/** A tool as the registry lists it: what is offered, and the definition behind it. */
import type { OfferedTool, Tool } from "@plugboard/contracts";
import type { Pins } from "./pins.ts";

export interface RegisteredTool extends OfferedTool {
  /** As its server sent it. Not enumerable: what goes to a front end says it once. */
  readonly definition: Tool;
}

export interface ToolRegistration {
  readonly name: string;
  readonly server: string;
  readonly origin: OfferedTool["origin"];
  readonly version?: string | undefined;
  readonly definition: Tool;
}

export function registeredTool({ definition, ...at }: ToolRegistration, pins: Pins): RegisteredTool {
  const { name: tool, title, description = "", inputSchema, outputSchema, annotations } = definition;
  const offered: OfferedTool = {
    name: at.name,
    server: at.server,
    tool,
    ...(title !== undefined && { title }),
    description,
    inputSchema,
    ...(outputSchema && { outputSchema }),
    ...(annotations && { annotations }),
    origin: at.origin,
    ...(at.version !== undefined && { version: at.version }),
    // Hashed when somebody looks: a list is made far more often than its pins are read.
    get pin() {
      return pins.pinOf(definition);
    },
  };
  return Object.defineProperty(offered, "definition", { value: definition }) as RegisteredTool;
}
