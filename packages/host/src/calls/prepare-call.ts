/**
 * Brings a call to the point where it can be sent: the server is connected, the call is authorized, the arguments
 * match the schema, and it is the caller's turn. All of this refers to one definition of the tool.
 */
import { HostError } from "@plugboard/contracts";
import type { JsonObject, Tool } from "@plugboard/contracts";
import type { Connection } from "@plugboard/mcp";
import { authorizeCall } from "../policy/authorize-call.ts";
import type { Approver, AuthorizePorts, CallToAuthorize } from "../policy/authorize-call.ts";
import { isReadOnly } from "../policy/decide.ts";
import type { PendingPermission } from "../policy/pending-permission.ts";
import type { NativeTool } from "../tools/native-tool.ts";
import { toolOffError } from "../tools/resolved-tool.ts";
import type { AskUserPorts } from "./ask-user.ts";
import type { CallerQueue, Turn } from "./caller-queue.ts";
import type { CallerContext, ResolvedCall } from "./resolved-call.ts";
import { formatProblems } from "./schemas/check-result.ts";
import type { CheckResult } from "./schemas/check-result.ts";
import type { SchemaChecks } from "./schemas/schema-checks.ts";

export interface PrepareCallPorts extends AuthorizePorts, Pick<AskUserPorts, "attended"> {
  readonly queue: CallerQueue;
  readonly checks: SchemaChecks;
}

export interface PreparedCall {
  readonly definition: Tool;
  readonly arguments: JsonObject;
  readonly turn: Turn;
}

export interface AuthorizedCall {
  /** The id of the call. */
  readonly id: string;
  /** The definition of the tool for which the call has been authorized. It is authorized again if the definition changed. */
  readonly definition: Tool | undefined;
}

/**
 * Returns a `PendingPermission` if the caller itself has to permit the call first.
 */
export async function prepareCall(
  call: ResolvedCall,
  connection: Connection,
  context: CallerContext,
  authorized: AuthorizedCall,
  ports: PrepareCallPorts,
): Promise<PreparedCall | PendingPermission> {
  const { server, resumed, timeoutMs } = call;
  const { caller, client, signal } = context;
  const queueRequest = { server, caller, client, signal, timeoutMs, mustTakeTurns: () => connection.oneCallerAtATime };
  let authorizedDefinition = authorized.definition;
  for (;;) {
    if (connection.state.phase !== "ready") await connection.ready(signal);
    const found = call.find();
    if (!found) throw notFound(call);
    // The tool may have been listed for the first time just now.
    if (found.excluded || found.disabled) throw toolOffError(found);
    const { definition } = found;
    if (resumed?.call === undefined && hasChanged(authorizedDefinition, definition, ports)) {
      const check = () => checkToolArguments(call, definition, ports);
      const authorizing = authorize(call, authorized.id, context, definition, ports, check);
      const permission = authorizing instanceof Promise ? await authorizing : authorizing;
      if (permission) return permission;
    }
    authorizedDefinition = definition;
    const checking = checkToolArguments(call, definition, ports);
    const args = checking instanceof Promise ? await checking : checking;
    const queueing = ports.queue.acquire(connection, queueRequest);
    const turn = queueing instanceof Promise ? await queueing : queueing;
    const isCurrent = !hasChanged(definition, call.find()?.definition, ports);
    if (connection.state.phase === "ready" && isCurrent) return { definition, arguments: args, turn };
    turn.release();
  }
}

/**
 * Authorizes the call for this definition of the tool, see `authorizeCall`. Resolves the paths of a native tool first.
 * `checkArguments` is absent for a request whose arguments are not those of a call.
 */
export function authorize(
  call: ResolvedCall,
  id: string,
  context: CallerContext,
  definition: Tool | undefined,
  ports: PrepareCallPorts,
  checkArguments?: () => unknown,
): Promise<PendingPermission | void> | PendingPermission | undefined {
  const { server, tool, request: sent, policy, definitionHash, trustsAnnotations, released } = call;
  const { caller, impliesPermission, session, signal } = context;
  const native = call.find()?.native;
  const request: CallToAuthorize = {
    call: id,
    server,
    tool,
    arguments: definition ? ports.checks.effectiveArguments(definition, call.arguments) : call.arguments,
    caller,
    definition,
    definitionHash,
    policy,
    request: sent,
    impliesPermission,
    readOnly: isReadOnly(trustsAnnotations, definition?.annotations),
    native: native !== undefined && native.asks !== true,
    approver: approverOf(context, ports),
    checkArguments,
    preview: native?.preview && definition && (() => previewOf(native, call, context, definition, ports)),
    sessionOwner: session ?? caller,
    signal,
    released,
  };
  return native?.resolvePaths ? authorizeResolved(native, request, ports) : authorizeCall(request, ports);
}

async function authorizeResolved(
  native: NativeTool,
  request: CallToAuthorize,
  ports: PrepareCallPorts,
): Promise<PendingPermission | void> {
  const args = { ...native.defaultArguments, ...request.arguments };
  const resolvedArguments = await native.resolvePaths?.(args);
  return authorizeCall({ ...request, arguments: args, resolvedArguments }, ports);
}

async function previewOf(
  native: NativeTool,
  call: ResolvedCall,
  { caller, signal }: CallerContext,
  definition: Tool,
  ports: PrepareCallPorts,
): Promise<string> {
  const args = ports.checks.effectiveArguments(definition, call.arguments);
  return (await native.preview?.(args, { caller, signal })) ?? "";
}

/** A gateway client has no user at this host, but a user who watches the inbox can answer for it. */
function approverOf(
  { caller, approvesByForm }: CallerContext,
  { attended }: Pick<PrepareCallPorts, "attended">,
): Approver {
  if (attended(caller)) return "caller";
  if (approvesByForm) return "outcome";
  return caller.kind === "front" ? "watchers" : "nobody";
}

/**
 * Returns the arguments to send, or throws INVALID_ARGUMENTS. They depend only on the definition, so they are the
 * arguments that were authorized.
 */
export function checkToolArguments(
  call: ResolvedCall,
  definition: Tool,
  { checks }: Pick<PrepareCallPorts, "checks">,
): JsonObject | Promise<JsonObject> {
  const args = checks.effectiveArguments(definition, call.arguments);
  const result = checks.arguments(definition, args);
  if (result instanceof Promise) return result.then((late) => (throwIfInvalid(late, call), args));
  throwIfInvalid(result, call);
  return args;
}

export function notFound({ server, tool }: ResolvedCall): HostError {
  return new HostError("TOOL_NOT_FOUND", { tool: `${server}:${tool}` });
}

/** Compares the pins, which are hashes of the definitions: each listing of a server makes new objects. */
function hasChanged(before: Tool | undefined, after: Tool | undefined, { pins }: PrepareCallPorts): boolean {
  return before !== after && !(before && after && pins.pinOf(before) === pins.pinOf(after));
}

function throwIfInvalid(result: CheckResult, { server, tool }: ResolvedCall): void {
  if (result.ok) return;
  throw new HostError("INVALID_ARGUMENTS", { reason: formatProblems(result.problems), tool: `${server}:${tool}` });
}
