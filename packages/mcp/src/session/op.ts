/** The requests that a session accepts. They are the same in both eras; the dialect adds what its revision needs. */
import { HostError } from "@plugboard/contracts";
import type { CompletionRef, JsonObject } from "@plugboard/contracts";
import type { AskAnswers } from "./ask.ts";
import { SKILLS_EXTENSION } from "./identity.ts";
import type { ServerCapabilities, ServerInfo } from "./server-info.ts";

interface OpParams {
  "tools/list": PageParams;
  "tools/call": { readonly name: string; readonly arguments: JsonObject; readonly task?: TaskRequest } & Resumable;
  "resources/list": PageParams;
  "resources/templates/list": PageParams;
  "resources/read": { readonly uri: string } & Resumable;
  "prompts/list": PageParams;
  "prompts/get": { readonly name: string; readonly arguments?: { readonly [name: string]: string } } & Resumable;
  "completion/complete": {
    readonly ref: CompletionRef;
    readonly argument: { readonly name: string; readonly value: string };
    /** The values of the other arguments. */
    readonly context?: { readonly arguments?: { readonly [name: string]: string } };
  };
  "tasks/get": { readonly taskId: string };
  "tasks/update": { readonly taskId: string; readonly inputResponses: JsonObject };
  "tasks/cancel": { readonly taskId: string };
  /** Waits for the end of the task, and returns the result of its call. */
  "tasks/result": { readonly taskId: string } & Resumable;
  "tasks/list": PageParams;
  /** A request that an extension of the protocol defines. It is passed on unchanged. */
  extension: { readonly method: string; readonly params: JsonObject };
}

interface PageParams {
  readonly cursor?: string;
}

/** Asks the server to run a call as a task. */
export interface TaskRequest {
  /** How long the server should keep the task. */
  readonly ttlMs?: number | undefined;
}

/** Marks a request that the server may suspend with questions to the user. */
interface Resumable {
  readonly resumed?: Resumed | undefined;
}

/** The continuation of a suspended call for which the server keeps no state. */
export interface Resumed extends PortableCall {
  readonly answers: AskAnswers;
}

/** The data with which another request continues a call, even in another process. Can be written as JSON. */
export interface PortableCall {
  /** Sent back to the server unchanged. */
  readonly requestState?: string;
  /** The number of times the call was suspended. */
  readonly round: number;
  /** The host's own id of the call. Never sent to the server. Absent if the call begins with answers of the client. */
  readonly call?: string;
  /** The host's digest of the tool that was permitted, or that permission is asked for. Set together with `call`. */
  readonly subject?: string;
  /** Present if the host itself asks for permission, before it sends the call. `answers` are those for the server. */
  readonly permission?: { readonly answers?: AskAnswers };
}

export type Method = keyof OpParams;
export type OpOf<M extends Method> = { readonly method: M; readonly params: OpParams[M] };
export type Op = { [M in Method]: OpOf<M> }[Method];

/** A request that the server may suspend with questions to the user. */
export type InteractiveOp = OpOf<"tools/call" | "resources/read" | "prompts/get" | "tasks/result"> & Op;

export function isInteractive(op: Op): op is InteractiveOp {
  const { method } = op;
  return (
    method === "tools/call" || method === "resources/read" || method === "prompts/get" || method === "tasks/result"
  );
}

const REQUIRED_CAPABILITY: { readonly [M in Method]: keyof Omit<ServerCapabilities, "listChanged"> } = {
  "tools/list": "tools",
  "tools/call": "tools",
  "resources/list": "resources",
  "resources/templates/list": "resources",
  "resources/read": "resources",
  "prompts/list": "prompts",
  "prompts/get": "prompts",
  "completion/complete": "completion",
  "tasks/get": "tasks",
  "tasks/update": "tasks",
  "tasks/cancel": "tasks",
  "tasks/result": "tasks",
  "tasks/list": "tasks",
  extension: "extensions",
};

export function supportsMethod(capabilities: ServerCapabilities, method: Method): boolean {
  return Boolean(capabilities[REQUIRED_CAPABILITY[method]]);
}

/** Returns the method on the wire. */
export function wireMethod(op: Op): string {
  return op.method === "extension" ? op.params.method : op.method;
}

/** Returns NOT_OFFERED if the server has not declared the capability for the request. */
export function unsupportedMethodError(server: string, { capabilities }: ServerInfo, op: Op): HostError | undefined {
  const isOffered =
    op.method === "extension" && op.params.method.startsWith("skills/")
      ? offersSkills(capabilities)
      : supportsMethod(capabilities, op.method);
  if (isOffered) return undefined;
  return new HostError("NOT_OFFERED", { server, method: wireMethod(op) });
}

export function offersSkills({ extensions = {} }: ServerCapabilities): boolean {
  return Object.hasOwn(extensions, SKILLS_EXTENSION);
}
