/** The definition of a tool of the modern fixture, and its usual results. */
import {
  type CallToolResult,
  type InputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { z } from "zod";

export interface FixtureTool {
  readonly description: string;
  readonly inputSchema: z.ZodObject;
  readonly outputSchema?: z.ZodObject;
  run(args: unknown, ctx: ServerContext): ToolOutcome | Promise<ToolOutcome>;
}

type ToolOutcome = CallToolResult | InputRequiredResult;

/** Derives the type of the arguments from the schema, which is also used to list and check them. */
export function fixtureTool<Shape extends z.ZodRawShape>(
  description: string,
  shape: Shape,
  run: (args: z.output<z.ZodObject<Shape>>, ctx: ServerContext) => ToolOutcome | Promise<ToolOutcome>,
): FixtureTool {
  const inputSchema = z.object(shape);
  return {
    description,
    inputSchema,
    run(args, ctx) {
      const parsed = inputSchema.safeParse(args);
      if (!parsed.success) throw new ProtocolError(ProtocolErrorCode.InvalidParams, parsed.error.message);
      return run(parsed.data, ctx);
    },
  };
}

export function textResult(value: string): CallToolResult {
  return { content: [{ type: "text", text: value }] };
}

export function errorResult(value: string): CallToolResult {
  return { ...textResult(value), isError: true };
}
