/** Builds the objects of an API from its method table, and calls a method by its path, such as `servers.list`. */
import type { Chats } from "../chat/chat.ts";
import type { ChatMethodPath } from "../chat/chat-methods.ts";
import type { HostControl } from "../host/host-control.ts";
import type { HostMethodPath } from "../host/host-methods.ts";
import type { OperationPath, Operations } from "../operations/operations.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { MethodPath } from "./all-methods.ts";

type Method = (...args: readonly unknown[]) => Promise<unknown>;

/** The object that has a method at each of the paths. */
type ApiOf<Path extends MethodPath> = [Path] extends [HostMethodPath]
  ? { readonly host: HostControl }
  : [Path] extends [OperationPath]
    ? { readonly operations: Operations }
    : [Path] extends [ChatMethodPath]
      ? { readonly chats: Chats }
      : Workspace;

/** Builds an object whose method at each path is the result of `methodAt(path)`. */
export function buildApi<Path extends MethodPath>(
  table: { readonly [P in Path]: unknown },
  methodAt: (path: NoInfer<Path>) => Method,
): ApiOf<Path> {
  const methods: { [name: string]: Method | { [name: string]: Method } } = {};
  for (const path of Object.keys(table) as Path[]) {
    const [group = "", name] = path.split(".");
    if (name === undefined) methods[group] = methodAt(path);
    else Object.assign((methods[group] ??= {}), { [name]: methodAt(path) });
  }
  const api: object = methods;
  return api as ApiOf<Path>;
}

export async function callMethod(api: object, path: MethodPath, args: readonly unknown[]): Promise<unknown> {
  const [group = "", name] = path.split(".");
  const owner: object = name === undefined ? api : Reflect.get(api, group);
  const method: Method = Reflect.get(owner, name ?? group);
  return Reflect.apply(method, owner, args);
}
