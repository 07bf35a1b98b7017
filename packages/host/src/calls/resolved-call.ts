/** A tool call whose names are resolved, and the context of its caller. Together they are all that a call depends on. */
import type { JsonObject } from "@plugboard/contracts";
import type { Connection, Resumed } from "@plugboard/mcp";
import type { Policy } from "../policy/policy.ts";
import type { NativeRequest } from "../tools/native-tool.ts";
import type { ResolvedTool } from "../tools/resolved-tool.ts";
import type { RequestContext } from "./ask-user.ts";
import type { AskForLogin } from "./retry-after-login.ts";

export interface ResolvedCall {
  readonly server: string;
  readonly tool: string;
  readonly arguments: JsonObject;
  /** Returns the tool as it is now. Returns undefined until the server has listed it. */
  readonly find: () => ResolvedTool | undefined;
  /** The request that a native tool sends to a server. Undefined for all other tools. */
  readonly request: NativeRequest | undefined;
  /** Undefined for a native tool. */
  readonly connection: Connection | undefined;
  readonly askForLogin: AskForLogin | undefined;
  /** Returns the current rules. */
  readonly policy: () => Policy;
  /** The hash of the definition, in the config, of the server that gets the call or the request. */
  readonly definitionHash: string;
  /** Whether the user trusts the annotations of the server's tools. */
  readonly trustsAnnotations: boolean;
  /** Whether the server's definition allows sampling. */
  readonly sampling: boolean;
  /** Aborted when the workspace is released. The reason is a `HostError`. */
  readonly released: AbortSignal;
  readonly timeoutMs: number;
  /** The timeout of the whole call. Progress does not extend it. */
  readonly maxMs: number;
  /** Set if the call continues after a question. Such a call is not authorized again. */
  readonly resumed?: Resumed | undefined;
}

export interface CallerContext extends RequestContext {
  /** True if making the call counts as permission, as on the command line. A rule can still ask or deny. */
  readonly impliesPermission: boolean;
  /** Returns the rules for this caller. They replace those of the call. */
  readonly policy?: (() => Policy) | undefined;
  /** Whether the receiver of the outcome can permit the call by answering a form. By default false. */
  readonly approvesByForm?: boolean | undefined;
}
