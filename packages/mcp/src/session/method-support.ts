/** What a server has not declared is not asked of it. */
import { HostError } from "@plugboard/contracts";
import type { Method, Op } from "./op.ts";
import type { ServerCapabilities, ServerInfo } from "./session.ts";

const REQUIRED_CAPABILITY: { readonly [M in Method]: keyof Omit<ServerCapabilities, "listChanged"> } = {
  "tools/list": "tools",
  "tools/call": "tools",
  "resources/list": "resources",
  "resources/templates/list": "resources",
  "resources/read": "resources",
  "prompts/list": "prompts",
  "prompts/get": "prompts",
  "completion/complete": "completion",
  "tasks/get": "tasks",
  "tasks/update": "tasks",
  "tasks/cancel": "tasks",
};

export function unsupportedMethodError(
  server: string,
  { capabilities }: ServerInfo,
  { method }: Op,
): HostError | undefined {
  return supportsMethod(capabilities, method) ? undefined : new HostError("NOT_OFFERED", { server, method });
}

export function supportsMethod(capabilities: ServerCapabilities, method: Method): boolean {
  return capabilities[REQUIRED_CAPABILITY[method]];
}
