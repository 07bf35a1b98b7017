/** Parses a request of a gateway client, in the format that both eras share. */
import { isJsonObject } from "@plugboard/contracts";
import type { CompletionRef, Json, JsonObject, PeerError } from "@plugboard/contracts";
import { INVALID_PARAMS, METHOD_NOT_FOUND } from "../wire/rpc-error-codes.ts";
import { supportsMethod } from "./op.ts";
import type { Method, Op, OpOf } from "./op.ts";
import type { ServerCapabilities } from "./server-info.ts";

type CoreMethod = Exclude<Method, "extension">;

type ParamsParser<M extends Method> = (params: JsonObject) => OpOf<M>["params"] | string;

/** Each parser returns an error message if the params are invalid. */
const PARAMS_PARSERS: { readonly [M in CoreMethod]: ParamsParser<M> } = {
  "tools/list": parsePageParams,
  "resources/list": parsePageParams,
  "resources/templates/list": parsePageParams,
  "prompts/list": parsePageParams,
  "tools/call": ({ name, arguments: args = {} }) => {
    if (typeof name !== "string") return '"name" is missing';
    return isJsonObject(args) ? { name, arguments: args } : '"arguments" is not an object';
  },
  "resources/read": ({ uri }) => (typeof uri === "string" ? { uri } : '"uri" is missing'),
  "prompts/get": ({ name, arguments: args }) => {
    if (typeof name !== "string") return '"name" is missing';
    if (args === undefined) return { name };
    return isStringRecord(args) ? { name, arguments: args } : '"arguments" is not an object of strings';
  },
  "completion/complete": parseCompletion,
  "tasks/get": parseTaskId,
  "tasks/cancel": parseTaskId,
  "tasks/result": parseTaskId,
  "tasks/list": parsePageParams,
  "tasks/update": (params) => {
    const task = parseTaskId(params);
    if (typeof task === "string") return task;
    const { inputResponses } = params;
    return isJsonObject(inputResponses) ? { ...task, inputResponses } : '"inputResponses" is missing';
  },
};

/**
 * The methods of the protocol itself, in upper or lower case. They are handled elsewhere, or a client must not send
 * them, or they don't exist. They are never passed on: a lenient server could take `Tools/call` for `tools/call`.
 */
const RESERVED_METHODS =
  /^(tools|resources|prompts|completion|logging|server|subscriptions|sampling|elicitation|roots|tasks|notifications)\//i;
/** A method of an extension has an area, such as `notes` in `notes/list`. */
const EXTENSION_METHOD = /^[a-z0-9][\w.-]*(\/[\w.-]+)+$/i;
/** A method of the skills extension, although its area `resources` belongs to the protocol. */
const READ_DIRECTORY = "resources/directory/read";

/** Returns METHOD_NOT_FOUND for methods whose capability is not offered. Other methods may belong to an extension. */
export function parseOp(method: string, params: JsonObject, capabilities: ServerCapabilities): Op | PeerError {
  if (!isMethod(method)) {
    if (!isExtensionMethod(method) || !supportsMethod(capabilities, "extension")) return methodNotFound(method);
    const { _meta: _, ...rest } = params;
    return { method: "extension", params: { method, params: rest } };
  }
  if (!supportsMethod(capabilities, method)) return methodNotFound(method);
  const parsed = PARAMS_PARSERS[method](params);
  if (typeof parsed === "string") return { code: INVALID_PARAMS, message: parsed };
  return { method, params: parsed } as Op;
}

export function methodNotFound(method: string): PeerError {
  return { code: METHOD_NOT_FOUND, message: `Method not found: ${method}` };
}

function isExtensionMethod(method: string): boolean {
  return method === READ_DIRECTORY || (EXTENSION_METHOD.test(method) && !RESERVED_METHODS.test(method));
}

function isMethod(method: string): method is CoreMethod {
  return Object.hasOwn(PARAMS_PARSERS, method);
}

function parsePageParams({ cursor }: JsonObject): { cursor?: string } | string {
  if (cursor === undefined) return {};
  return typeof cursor === "string" ? { cursor } : '"cursor" is not a string';
}

function parseTaskId({ taskId }: JsonObject): { taskId: string } | string {
  return typeof taskId === "string" ? { taskId } : '"taskId" is missing';
}

function parseCompletion({ ref, argument, context }: JsonObject): OpOf<"completion/complete">["params"] | string {
  const { name, value } = isJsonObject(argument) ? argument : {};
  if (typeof name !== "string" || typeof value !== "string") return '"argument" has no name and value';
  const parsedRef = parseRef(ref);
  if (!parsedRef) return '"ref" names neither a prompt nor a resource';
  const args = isJsonObject(context) ? context["arguments"] : undefined;
  return { ref: parsedRef, argument: { name, value }, ...(isStringRecord(args) && { context: { arguments: args } }) };
}

function parseRef(ref: Json | undefined): CompletionRef | undefined {
  const { type, name, uri } = isJsonObject(ref) ? ref : {};
  if (type === "ref/prompt" && typeof name === "string") return { type, name };
  return type === "ref/resource" && typeof uri === "string" ? { type, uri } : undefined;
}

function isStringRecord(value: Json | undefined): value is { [name: string]: string } {
  return isJsonObject(value) && Object.values(value).every((one) => typeof one === "string");
}
