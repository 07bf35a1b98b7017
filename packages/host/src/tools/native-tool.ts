/** A native tool, which runs in the program itself. Its name is `native:name` for people, and `name` for models. */
import { HostError, isJsonObject } from "@plugboard/contracts";
import type { Caller, JsonObject, Tool, ToolAnnotations, ToolResult } from "@plugboard/contracts";
import { SAFE_NAME } from "../names/tool-name.ts";

export interface NativeTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly annotations?: ToolAnnotations;
  /** True if a call needs the user's permission, unless a rule allows it. By default a call runs without a question. */
  readonly asks?: boolean;
  /**
   * Returns the request that a call sends to a server. Rules for all tools of that server apply to the call too, and an
   * answer is stored for that server. Returns undefined if the arguments name no server.
   */
  requestOf?(args: JsonObject): NativeRequest | undefined;
  /** The values of missing arguments, for the rules and the question. */
  readonly defaultArguments?: JsonObject;
  /**
   * Returns the arguments with resolved paths, in each form that a rule may have, such as relative and absolute. Rules
   * are matched against the given and the resolved arguments. Returns an empty list if a path can't be resolved.
   */
  resolvePaths?(args: JsonObject): Promise<readonly JsonObject[]>;
  /**
   * Returns a text that shows what a call would do, such as a diff, for the permission question. If it throws, the call
   * fails without a question.
   */
  preview?(args: JsonObject, ctx: NativeContext): Promise<string> | string;
  run(args: JsonObject, ctx: NativeContext): Promise<ToolResult> | ToolResult;
}

/** A request of a native tool to a server of the workspace. */
export interface NativeRequest {
  readonly server: string;
  readonly method: string;
}

export interface NativeContext {
  readonly caller: Caller;
  readonly signal?: AbortSignal | undefined;
}

/** Throws TOOL_INVALID for an invalid tool. Checks types, because the program may be written in JavaScript. */
export function checkNativeTool(native: UncheckedTool): void {
  const reason = nativeToolProblem(native);
  if (reason !== undefined) throw new HostError("TOOL_INVALID", { tool: String(native.name), reason });
}

/** Returns the definition, with the same fields as a server's tool. */
export function nativeToolDefinition(native: NativeTool): Tool {
  const { name, description, inputSchema, outputSchema, annotations } = native;
  return { name, description, inputSchema, ...(outputSchema && { outputSchema }), ...(annotations && { annotations }) };
}

type UncheckedTool = { readonly [Key in keyof NativeTool]?: unknown };

function nativeToolProblem({ name, description, inputSchema, run }: UncheckedTool): string | undefined {
  if (typeof name !== "string" || !SAFE_NAME.test(name)) {
    return "its name must be up to 64 characters of A-Z, a-z, 0-9, _ and -, starting with a letter or _";
  }
  if (typeof description !== "string") return "its description must be a string";
  if (!isJsonObject(inputSchema)) return "its inputSchema must be an object";
  if (typeof run !== "function") return "its run must be a function";
  return undefined;
}
