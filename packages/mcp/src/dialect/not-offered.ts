/** What a server has not declared is not asked of it. */
import { HostError } from "@plugboard/contracts";
import type { Method, Op } from "./op.ts";
import type { Offers, ServerFacts } from "./session.ts";

const NEEDS: { readonly [M in Method]: keyof Omit<Offers, "changes"> } = {
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

export function notOffered(server: string, { offers }: ServerFacts, { method }: Op): HostError | undefined {
  return isOffered(offers, method) ? undefined : new HostError("NOT_OFFERED", { server, method });
}

export function isOffered(offers: Offers, method: Method): boolean {
  return offers[NEEDS[method]];
}
