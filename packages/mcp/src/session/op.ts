import type { JsonObject } from "@plugboard/contracts";
import type { AskAnswer } from "./ask.ts";

/** Everything a session can be asked for, keyed by method. The same in both eras; a dialect adds what its wire wants. */
interface OpParams {
  "tools/list": PageParams;
  "tools/call": { readonly name: string; readonly arguments: JsonObject } & Resumable;
  "resources/list": PageParams;
  "resources/templates/list": PageParams;
  "resources/read": { readonly uri: string } & Resumable;
  "prompts/list": PageParams;
  "prompts/get": { readonly name: string; readonly arguments?: { readonly [name: string]: string } } & Resumable;
  "completion/complete": {
    readonly ref: CompletionRef;
    readonly argument: { readonly name: string; readonly value: string };
    /** What the other arguments have been set to. */
    readonly context?: { readonly arguments?: { readonly [name: string]: string } };
  };
  "tasks/get": { readonly taskId: string };
  "tasks/update": { readonly taskId: string; readonly inputResponses: JsonObject };
  "tasks/cancel": { readonly taskId: string };
}

interface PageParams {
  readonly cursor?: string;
}

/** What a server may answer with a question instead. */
interface Resumable {
  readonly resumed?: Resumed;
}

export type CompletionRef =
  | { readonly type: "ref/prompt"; readonly name: string }
  | { readonly type: "ref/resource"; readonly uri: string };

/** A call that goes on after a question, where the server keeps nothing for it. */
export interface Resumed {
  readonly answers: { readonly [key: string]: AskAnswer };
  /** Handed back byte for byte. */
  readonly requestState?: string;
  /** How many questions it has been through. */
  readonly round: number;
  /** By what the host knows it; never sent. */
  readonly call?: string;
}

export type Method = keyof OpParams;
export type OpOf<M extends Method> = { readonly method: M; readonly params: OpParams[M] };
export type Op = { [M in Method]: OpOf<M> }[Method];

/** Those that may ask before they answer. */
export type InteractiveOp = OpOf<"tools/call" | "resources/read" | "prompts/get"> & Op;

export function isInteractive(op: Op): op is InteractiveOp {
  return op.method === "tools/call" || op.method === "resources/read" || op.method === "prompts/get";
}
