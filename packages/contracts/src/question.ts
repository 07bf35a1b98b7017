import type { Caller } from "./caller.ts";
import type { Elicitation, ElicitationAnswer } from "./elicitation.ts";
import type { JsonObject } from "./json.ts";

/**
 * Something a person must answer. It belongs to the caller that caused it;
 * where that can't be told for certain it belongs to the workspace, and no
 * caller may answer it by guessing.
 */
export type Question = PermissionQuestion | ElicitationQuestion | SamplingQuestion;
export type QuestionOwner = Caller | "workspace";

interface Asked {
  readonly id: string;
  readonly owner: QuestionOwner;
  readonly server: string;
  readonly askedAt: number;
  /** When it settles by itself, as if dismissed. */
  readonly deadline: number;
}

export interface PermissionQuestion extends Asked {
  readonly type: "permission";
  readonly tool: string;
  readonly arguments: JsonObject;
  /** The rule that asks, as written; absent when asking is the default. */
  readonly rule?: string;
}

export interface ElicitationQuestion extends Asked {
  readonly type: "elicitation";
  /** The tool whose call asks; absent when the server did not say. */
  readonly tool?: string;
  readonly elicitation: Elicitation;
}

/** A server wants a text of the user's model. */
export interface SamplingQuestion extends Asked {
  readonly type: "sampling";
  /** The tool whose call asks; absent when the server did not say, or when it is no tool. */
  readonly tool?: string;
  /** What it wants, as it came: the params of `sampling/createMessage`. */
  readonly request: JsonObject;
}

export type PermissionAnswer =
  | { readonly type: "permission"; readonly decision: "once" }
  | { readonly type: "permission"; readonly decision: "no"; readonly reason?: string };

export interface SamplingAnswer {
  readonly type: "sampling";
  readonly decision: "yes" | "no";
}

export type Answer = PermissionAnswer | ({ readonly type: "elicitation" } & ElicitationAnswer) | SamplingAnswer;

/** How a question ended. Only `answered` carries somebody's word. */
export type Settlement =
  | { readonly by: "answered"; readonly answer: Answer }
  | { readonly by: "dismissed" | "deadline" | "withdrawn" };
