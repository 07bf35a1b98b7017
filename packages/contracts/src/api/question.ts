import type { Caller } from "./caller.ts";
import type { Elicitation, ElicitationAnswer } from "../protocol/elicitation.ts";
import type { Json, JsonObject } from "../lib/json.ts";
import type { ConfigSource, TransportName } from "./server-entry.ts";

/**
 * Something a person must answer. It belongs to the caller that caused it;
 * where that can't be told for certain it belongs to the workspace, and no
 * caller may answer it by guessing.
 */
export type Question = PermissionQuestion | ElicitationQuestion | TrustQuestion | SamplingQuestion | LoginQuestion;
export type QuestionOwner = Caller | "workspace";

interface QuestionBase {
  readonly id: string;
  readonly owner: QuestionOwner;
  readonly server: string;
  readonly askedAt: number;
  /** When it settles by itself, as if dismissed. */
  readonly deadline: number;
}

export interface PermissionQuestion extends QuestionBase {
  readonly type: "permission";
  readonly tool: string;
  readonly arguments: JsonObject;
  /** The rule that asks, as written; absent when asking is the default. */
  readonly rule?: string;
  /** The tool's definition, hashed: an answer for longer than once holds for this one alone, and needs it. */
  readonly pin?: string;
  /** What the tool's server says of it; a very long text is cut. */
  readonly description?: string;
  /** What is different from the definition that was approved before; that approval no longer holds. */
  readonly changes?: readonly DefinitionChange[];
}

export interface ElicitationQuestion extends QuestionBase {
  readonly type: "elicitation";
  /** The tool whose call asks; absent when the server did not say. */
  readonly tool?: string;
  readonly elicitation: Elicitation;
}

/** Whether a server that came with a project may be used at all: started, or sent anything. */
export interface TrustQuestion extends QuestionBase {
  readonly type: "trust";
  readonly source: ConfigSource;
  /** The project's. */
  readonly folder: string;
  readonly transport: TransportName;
  /** In full, as it is written. */
  readonly definition: JsonObject;
  /** The environment variables and secrets whose values it would be given. */
  readonly variables: readonly string[];
  /** What is different from the definition that was trusted before. */
  readonly changes?: readonly DefinitionChange[];
  /** Where the server of that id comes from that it would take the place of, with all that rules say of that id. */
  readonly replaces?: ConfigSource;
}

/** Whether a server may have a text made by the user's model. */
export interface SamplingQuestion extends QuestionBase {
  readonly type: "sampling";
  /** The tool whose call asks; absent when the server did not say. */
  readonly tool?: string;
  /** A `CreateMessageRequest`'s params, as they came. */
  readonly request: JsonObject;
}

/** A server waits until the user has logged in. Without a step, whether to begin; with one, what is to be done now. */
export interface LoginQuestion extends QuestionBase {
  readonly type: "login";
  /** Nobody has logged in yet; the login no longer holds; or the server wants the user to grant more. */
  readonly reason: LoginReason;
  /** Which of the user's logins at that server. */
  readonly account?: string;
  /** Where the user logs in. */
  readonly issuer?: string;
  /** What would be granted. */
  readonly scope?: string;
  readonly step?: LoginStep;
}

export type LoginReason = "first" | "expired" | "scope";

export type LoginStep =
  /** The page comes back to this machine by itself; from another, the address it ends at is the answer. */
  | { readonly type: "browser"; readonly url: string; readonly redirectUri: string }
  /** The code is typed into that page, on any machine. */
  | { readonly type: "device"; readonly url: string; readonly code: string; readonly completeUrl?: string };

/** One place in which two definitions differ. What is absent was not, or is no longer, there. */
export interface DefinitionChange {
  /** Such as `inputSchema.properties.path.description`; `…` for changes that are too many to be told. */
  readonly path: string;
  readonly before?: Json;
  readonly after?: Json;
}

export type PermissionAnswer =
  /** For this call; until this chat or program ends; for good. The latter two for as long as the tool is the same. */
  | { readonly type: "permission"; readonly decision: "once" | "session" | "always" }
  | { readonly type: "permission"; readonly decision: "no"; readonly reason?: string };

export type Answer =
  | PermissionAnswer
  | ({ readonly type: "elicitation" } & ElicitationAnswer)
  | { readonly type: "trust" | "sampling"; readonly decision: "yes" | "no" }
  | LoginAnswer;

export type LoginAnswer =
  /** To one without a step. */
  | { readonly type: "login"; readonly action: "begin"; readonly method?: LoginMethod }
  /** To one with a browser's: the address that the browser ended at. It is told to nobody else. */
  | { readonly type: "login"; readonly action: "redirected"; readonly url: string }
  | { readonly type: "login"; readonly action: "cancel" };

export type LoginMethod = "browser" | "device";

/** How a question ended. Only `answered` carries somebody's word. */
export type Settlement =
  | { readonly by: "answered"; readonly answer: Answer }
  | { readonly by: "dismissed" | "deadline" | "withdrawn" };
