/**
 * One tool call. A single object carries it from the caller to the wire and back. The code that makes the call for a
 * caller, such as the gateway, sets the caller's options. Each stage of `run-call.ts` sets its findings.
 */
import type {
  Caller,
  HostError,
  JsonObject,
  Progress,
  Tool,
  ToolRef,
  ToolResult,
  CancelSignal,
} from "@plugboard/contracts";
import type { CallContext, Connection, ElicitationSupport, Resumed, SamplingSupport } from "@plugboard/mcp";
import type { PendingPermission } from "../policy/pending-permission.ts";
import type { ToolPins } from "../policy/decision-store.ts";
import type { Policy } from "../policy/policy.ts";
import type { NativeRequest } from "../tools/native-tool.ts";
import type { ResolvedTool } from "../tools/resolved-tool.ts";
import type { ListRoots } from "./ask-user.ts";
import type { CallRecord } from "./call-tracker.ts";
import type { Turn } from "./caller-queue.ts";

/** The workspace that a call is made in. */
export interface CallScope {
  /** Aborted when the workspace is released. The reason is a `HostError`. */
  readonly released: AbortSignal;
  /** Returns the current rules. */
  policy(): Policy;
  /** Sets the tool, its server and its connection. Throws or rejects if the tool can't be called. */
  resolve(call: Call): Promise<void> | undefined;
  /** Returns the tool as it is now. Returns undefined until the server has listed it. */
  find(call: Call): ResolvedTool | undefined;
  /** Returns the pins of the tools that a server offers now. */
  pinsOf(server: string): ToolPins;
  /** Asks the caller to log in at the server that refused the call. Resolves to whether the call can be repeated. */
  askForLogin(call: Call, error: HostError): Promise<boolean>;
}

type ContextField<Key extends keyof CallContext> = CallContext[Key] | undefined;

/** Fields are assigned, never spread: copying objects would take longer than all stages together. */
export class Call implements CallContext {
  readonly ref: ToolRef;
  readonly arguments: JsonObject;
  readonly caller: Caller;

  // Set by the code that makes the call.

  /** The id that the caller has chosen for the call. By default the tracker makes an id. */
  chosenId: string | undefined = undefined;
  signal: CancelSignal | undefined = undefined;
  onProgress: ((progress: Progress) => void) | undefined = undefined;
  /** True if making the call counts as permission, as on the command line. A rule can still ask or deny. */
  impliesPermission = false;
  /** True if the receiver of the outcome can permit the call by answering a form. */
  approvesByForm = false;
  /** True if the receiver answers questions in another request, which another process of the host may get. */
  answersLater = false;
  /** Returns the rules for this caller. They apply instead of the rules of the workspace. */
  callerPolicy: (() => Policy) | undefined = undefined;
  /**
   * The session that the caller belongs to. An answer "for this session" is valid for it. By default the caller itself.
   */
  session: Caller | undefined = undefined;
  /** Identifies the client that makes the call, among the clients that share a server. By default the caller's id. */
  client: string | undefined = undefined;
  /** Asks the client for its roots, for a server that no other client uses. */
  listRoots: ListRoots | undefined = undefined;
  /** Whether the receiver of the outcome can answer elicitations. By default, whether the caller is attended. */
  clientElicitation: boolean | ElicitationSupport | undefined = undefined;
  /** Whether the receiver of the outcome answers sampling requests with its own model. By default the host decides. */
  clientSampling: SamplingSupport | undefined = undefined;
  meta: ContextField<"meta"> = undefined;
  roots: ContextField<"roots"> = undefined;
  extensions: ContextField<"extensions"> = undefined;
  /** An object asks the server for a task. With `true`, the host follows a task if the server answers with one. */
  tasks: ContextField<"tasks"> = true;
  logLevel: ContextField<"logLevel"> = undefined;
  onLog: ContextField<"onLog"> = undefined;
  /** Set if the call continues after a question. */
  resumed: Resumed | undefined = undefined;

  // Set when the call is resolved: when its tool and server are found.

  scope!: CallScope;
  server = "";
  tool = "";
  /** Undefined for a native tool. */
  connection: Connection | undefined = undefined;
  /** Set if the call is to the tool that logs in at the server. That tool is no longer listed after the login. */
  loginTool: ResolvedTool | undefined = undefined;
  /** The request that a native tool sends to a server. */
  request: NativeRequest | undefined = undefined;
  /** The hash of the definition, in the config, of the server that gets the call or the request. */
  definitionHash = "";
  /** Whether the user trusts the annotations of the server's tools. */
  trustsAnnotations = false;
  /** Whether the server's definition allows sampling. */
  allowsSampling = false;
  /** Whether a result that does not match its output schema fails the call. */
  strictResults = false;
  timeoutMs = 0;
  maxMs = 0;

  // Set by the other stages.

  /** The definition of the tool that the call was last permitted and checked for. */
  definition: Tool | undefined = undefined;
  /** The arguments that are shown, checked and sent: `arguments` without nulls that the definition does not allow. */
  effectiveArguments: JsonObject;
  isPermitted = false;
  /** The permission that the receiver of the outcome has to give. */
  permission: PendingPermission | undefined = undefined;
  isChecked = false;
  turn: Turn | undefined = undefined;
  elicitation: boolean | ElicitationSupport = false;
  sampling: SamplingSupport | undefined = undefined;
  retryable = false;
  onSettled: ContextField<"onSettled"> = undefined;
  /** True if the server may ask a question that does not name this call. Set with the turn. */
  mayAsk = false;
  /** The call's end, times and sizes. */
  record!: CallRecord;
  trace: ContextField<"trace"> = undefined;
  timing: ContextField<"timing"> = undefined;
  result: ToolResult | undefined = undefined;
  /** Whether the result did not match its output schema. */
  hasSchemaMismatch = false;

  constructor(ref: ToolRef, args: JsonObject, caller: Caller) {
    this.ref = ref;
    this.arguments = args;
    this.effectiveArguments = args;
    this.caller = caller;
  }
}
