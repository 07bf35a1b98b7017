/** Reads what a front asks for, in the words that both eras share. */
import { isJsonObject } from "@plugboard/contracts";
import type { Json, JsonObject, PeerError } from "@plugboard/contracts";
import { INVALID_PARAMS, METHOD_NOT_FOUND } from "../wire/rpc-codes.ts";
import { isOffered } from "./not-offered.ts";
import type { CompletionRef, Method, Op, OpOf } from "./op.ts";
import type { Offers } from "./session.ts";

type Reader<M extends Method> = (params: JsonObject) => OpOf<M>["params"] | string;

/** What is wrong with the params comes back as text. */
const READERS: { readonly [M in Method]: Reader<M> } = {
  "tools/list": readPage,
  "resources/list": readPage,
  "resources/templates/list": readPage,
  "prompts/list": readPage,
  "tools/call": ({ name, arguments: args = {} }) => {
    if (typeof name !== "string") return '"name" is missing';
    return isJsonObject(args) ? { name, arguments: args } : '"arguments" is not an object';
  },
  "resources/read": ({ uri }) => (typeof uri === "string" ? { uri } : '"uri" is missing'),
  "prompts/get": ({ name, arguments: args }) => {
    if (typeof name !== "string") return '"name" is missing';
    if (args === undefined) return { name };
    return isTexts(args) ? { name, arguments: args } : '"arguments" is not an object of texts';
  },
  "completion/complete": readCompletion,
  "tasks/get": readTaskId,
  "tasks/cancel": readTaskId,
  "tasks/update": (params) => {
    const task = readTaskId(params);
    if (typeof task === "string") return task;
    const { inputResponses } = params;
    return isJsonObject(inputResponses) ? { ...task, inputResponses } : '"inputResponses" is missing';
  },
};

/** What is not offered does not exist. */
export function readOp(method: string, params: JsonObject, offers: Offers): Op | PeerError {
  if (!isMethod(method) || !isOffered(offers, method)) {
    return { code: METHOD_NOT_FOUND, message: `Method not found: ${method}` };
  }
  const read = READERS[method](params);
  if (typeof read === "string") return { code: INVALID_PARAMS, message: read };
  return { method, params: read } as Op;
}

function isMethod(method: string): method is Method {
  return Object.hasOwn(READERS, method);
}

function readPage({ cursor }: JsonObject): { cursor?: string } | string {
  if (cursor === undefined) return {};
  return typeof cursor === "string" ? { cursor } : '"cursor" is not a string';
}

function readTaskId({ taskId }: JsonObject): { taskId: string } | string {
  return typeof taskId === "string" ? { taskId } : '"taskId" is missing';
}

function readCompletion({ ref, argument, context }: JsonObject): OpOf<"completion/complete">["params"] | string {
  const { name, value } = isJsonObject(argument) ? argument : {};
  if (typeof name !== "string" || typeof value !== "string") return '"argument" has no name and value';
  const known = readRef(ref);
  if (!known) return '"ref" names neither a prompt nor a resource';
  const given = isJsonObject(context) ? context["arguments"] : undefined;
  return { ref: known, argument: { name, value }, ...(isTexts(given) && { context: { arguments: given } }) };
}

function readRef(ref: Json | undefined): CompletionRef | undefined {
  const { type, name, uri } = isJsonObject(ref) ? ref : {};
  if (type === "ref/prompt" && typeof name === "string") return { type, name };
  return type === "ref/resource" && typeof uri === "string" ? { type, uri } : undefined;
}

function isTexts(value: Json | undefined): value is { [name: string]: string } {
  return isJsonObject(value) && Object.values(value).every((one) => typeof one === "string");
}
