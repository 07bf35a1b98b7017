/** All methods that a client of a running host can call, and the check of the rights that a call needs. */
import { CHAT_METHODS } from "../chat/chat-methods.ts";
import type { ChatMethodPath } from "../chat/chat-methods.ts";
import type { Caller } from "../host/caller.ts";
import { HOST_METHODS } from "../host/host-methods.ts";
import type { HostMethodPath } from "../host/host-methods.ts";
import { OPERATION_METHODS } from "../operations/operations.ts";
import type { OperationPath } from "../operations/operations.ts";
import { requireRight } from "../rights/rights.ts";
import { WORKSPACE_METHODS } from "../workspace/workspace-methods.ts";
import type { WorkspaceMethodPath } from "../workspace/workspace-methods.ts";
import type { ConditionalRight, MethodSpec } from "./method-spec.ts";

export type MethodPath = WorkspaceMethodPath | HostMethodPath | ChatMethodPath | OperationPath;

export const METHODS: { readonly [Path in MethodPath]: MethodSpec } = {
  ...WORKSPACE_METHODS,
  ...HOST_METHODS,
  ...CHAT_METHODS,
  ...OPERATION_METHODS,
};

/** Throws FORBIDDEN if the caller may not call the method with these arguments, which are unchecked. */
export function requireMethodRights(caller: Caller, path: MethodPath, args: readonly unknown[]): void {
  const { right, more } = METHODS[path];
  requireRight(caller, right);
  if (more) requireConditionalRights(caller, more, args);
}

/** Throws FORBIDDEN if the arguments need a right that the caller does not have. */
export function requireConditionalRights(
  caller: Caller,
  rights: readonly ConditionalRight[],
  args: readonly unknown[],
): void {
  for (const { right, applies } of rights) if (applies(args)) requireRight(caller, right);
}
