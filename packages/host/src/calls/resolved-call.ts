/** A tool call whose names are resolved: the tool, its server's connection, and everything the call depends on. */
import type { JsonObject } from "@plugboard/contracts";
import type { Connection, Resumed } from "@plugboard/mcp";
import type { Policy } from "../policy/policy.ts";
import type { ResolvedTool } from "../tools/resolved-tool.ts";
import type { RequestContext } from "./ask-user.ts";
import type { AskForLogin } from "./retry-after-login.ts";

export interface ResolvedCall {
  readonly server: string;
  readonly tool: string;
  readonly arguments: JsonObject;
  /** Returns the tool as it is now. Returns undefined until the server has listed it. */
  readonly find: () => ResolvedTool | undefined;
  /** Undefined for a native tool. */
  readonly connection: Connection | undefined;
  readonly askForLogin: AskForLogin | undefined;
  /** Returns the current rules. */
  readonly policy: () => Policy;
  /** The hash of the server's definition in the config. */
  readonly definitionHash: string;
  /** Whether the user trusts the annotations of the server's tools. */
  readonly trustsAnnotations: boolean;
  /** Whether the server's definition allows sampling. */
  readonly sampling: boolean;
  /** Aborts when the call's workspace is closed. */
  readonly released: AbortSignal;
  readonly timeoutMs: number;
  /** The timeout of the whole call, however much progress it reports. */
  readonly maxMs: number;
  /** Set for a call that continues after a question. It was authorized when it started. */
  readonly resumed?: Resumed | undefined;
}

export interface CallerContext extends RequestContext {
  /** Whether the call itself is the user's consent, unless a rule says otherwise. */
  readonly ownConsent: boolean;
  /** Returns the rules for the caller. By default those of the workspace. */
  readonly policy?: (() => Policy) | undefined;
  /** Whether the receiver of the outcome can permit the call by answering a form. By default false. */
  readonly approvesByForm?: boolean | undefined;
}
