/** Questions to the user and their answers: permission, elicitation, trust, sampling and login. */
import type { Caller } from "../host/caller.ts";
import type { Elicitation, ElicitationAnswer } from "../../protocol/elicitation.ts";
import type { Json, JsonObject } from "../../lib/json.ts";
import type { SandboxAccess } from "./sandbox.ts";
import type { ConfigSource, TransportName } from "./server-entry.ts";

/**
 * Something that a person must answer. Its owner is the caller that caused it.
 * If that caller is not certain, the owner is the workspace.
 */
export type Question = PermissionQuestion | ElicitationQuestion | TrustQuestion | SamplingQuestion | LoginQuestion;
export type QuestionOwner = Caller | "workspace";

interface QuestionBase {
  readonly id: string;
  readonly owner: QuestionOwner;
  /** The caller whose request needs the answer, if a user who watches the inbox answers instead of that caller. */
  readonly requestedBy?: Caller;
  readonly server: string;
  /**
   * The id of the call that needs the answer. Absent if the question is about the server, or if the server did not say
   * which of several calls it asks about.
   */
  readonly call?: string;
  readonly askedAt: number;
  /** When the question is dismissed automatically, in milliseconds since 1970. */
  readonly deadline: number;
}

export interface PermissionQuestion extends QuestionBase {
  readonly type: "permission";
  /** The id of the call that needs the permission. */
  readonly call: string;
  readonly tool: string;
  readonly arguments: JsonObject;
  /** What the call would do, such as the diff of a file. A very long preview is cut. */
  readonly preview?: string;
  /** The text of the rule that requires the question. Absent if asking is the default. */
  readonly rule?: string;
  /**
   * The hash of the tool's definition. The answers `session` and `always` require it and are valid for this definition
   * only.
   */
  readonly pin?: string;
  /** The tool's description from its server. A very long description is cut. */
  readonly description?: string;
  /** The differences from the definition that was approved before. That approval is no longer valid. */
  readonly changes?: readonly DefinitionChange[];
}

export interface ElicitationQuestion extends QuestionBase {
  readonly type: "elicitation";
  /** The tool whose call caused the question. Absent if unknown. */
  readonly tool?: string;
  readonly elicitation: Elicitation;
}

/** Asks whether a server of a project's config file may be started or used. */
export interface TrustQuestion extends QuestionBase, DefinitionToTrust {
  readonly type: "trust";
}

/** A definition of a project's file that the user is asked to trust. */
export interface DefinitionToTrust {
  readonly source: ConfigSource;
  /** The folder of the project. */
  readonly folder: string;
  readonly transport: TransportName;
  /** The full definition as written in the file. Its secrets are masked for a caller who may not approve it. */
  readonly definition: JsonObject;
  /** The environment variables, files and secrets whose values the server would get. */
  readonly variables: readonly string[];
  /** What its sandbox would allow. Absent without a sandbox, and for a server that runs elsewhere. */
  readonly sandbox?: SandboxAccess;
  /** The differences from the definition that was trusted before. */
  readonly changes?: readonly DefinitionChange[];
  /**
   * The source of the server with the same id that this definition would replace. Rules for the id would then apply to
   * this definition.
   */
  readonly replaces?: ConfigSource;
}

/** Asks whether a server may sample the user's model. */
export interface SamplingQuestion extends QuestionBase {
  readonly type: "sampling";
  /** The tool whose call caused the question. Absent if unknown. */
  readonly tool?: string;
  /** The `params` of the server's `sampling/createMessage` request, unchanged. */
  readonly request: JsonObject;
}

/** Asks the user to log in at a server. Without `step` it asks whether to begin; with `step` it says what to do now. */
export interface LoginQuestion extends QuestionBase {
  readonly type: "login";
  /**
   * `first`: there is no login yet. `expired`: the login is no longer valid. `scope`: the server requires more scope.
   */
  readonly reason: LoginReason;
  /** The `account` of the server definition. */
  readonly account?: string;
  /** The authorization server. */
  readonly issuer?: string;
  /** The scope to be granted. */
  readonly scope?: string;
  readonly step?: LoginStep;
}

export type LoginReason = "first" | "expired" | "scope";

export type LoginStep =
  /**
   * The browser on this machine redirects back to the host. On another machine, the user answers with the redirect URL.
   */
  | { readonly type: "browser"; readonly url: string; readonly redirectUri: string }
  /** The user enters the code on that page, on any machine. */
  | { readonly type: "device"; readonly url: string; readonly code: string; readonly completeUrl?: string };

/** One difference between two definitions. `before` is absent for an added value, `after` for a removed one. */
export interface DefinitionChange {
  /**
   * For example `inputSchema.properties.path.description`. The path `…` stands for all further changes above the limit.
   */
  readonly path: string;
  readonly before?: Json;
  readonly after?: Json;
}

export type PermissionAnswer =
  /** `once`: this call. `session`: until the caller ends, or its token is revoked. */
  | { readonly type: "permission"; readonly decision: "once" | "session" }
  /**
   * Allows the tool for good, for the principal of the call. With `for: "everyone"` also for all other principals, if
   * the question is about the call of a client with a token of its own. Ends, as `session` does, when the tool's
   * definition changes.
   */
  | { readonly type: "permission"; readonly decision: "always"; readonly for?: "client" | "everyone" }
  /**
   * Like `always`, for every tool that the server had at the time of the question and that the same rule asks about.
   * Ends for a tool whose definition changes, and for all when the server's definition in the config changes.
   */
  | { readonly type: "permission"; readonly decision: "server" }
  | { readonly type: "permission"; readonly decision: "no"; readonly reason?: string };

export type Answer =
  | PermissionAnswer
  | ({ readonly type: "elicitation" } & ElicitationAnswer)
  | { readonly type: "trust" | "sampling"; readonly decision: "yes" | "no" }
  | LoginAnswer;

export type LoginAnswer =
  /** Answers a question without `step`. */
  | { readonly type: "login"; readonly action: "begin"; readonly method?: LoginMethod }
  /** Answers a browser step with the redirect URL. Events never contain this URL. */
  | { readonly type: "login"; readonly action: "redirected"; readonly url: string }
  | { readonly type: "login"; readonly action: "cancel" };

export type LoginMethod = "browser" | "device";

/**
 * How a question ended. Only `answered` has an answer of a person. `limit`: not asked, because too many questions are
 * open.
 */
export type Settlement =
  | { readonly by: "answered"; readonly answer: Answer }
  | { readonly by: "dismissed" | "deadline" | "withdrawn" | "limit" };
