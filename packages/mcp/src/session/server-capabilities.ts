/** What is offered, as capabilities that a front reads. */
import type { JsonObject } from "@plugboard/contracts";
import { TASKS_EXTENSION } from "./identity.ts";
import type { ServerCapabilities } from "./session.ts";

export function serverCapabilities({ listChanged, ...offers }: ServerCapabilities): JsonObject {
  return {
    ...(offers.tools && { tools: { listChanged: listChanged.tools } }),
    ...(offers.resources && { resources: { listChanged: listChanged.resources, subscribe: offers.subscribe } }),
    ...(offers.prompts && { prompts: { listChanged: listChanged.prompts } }),
    ...(offers.completion && { completions: {} }),
    ...(offers.logging && { logging: {} }),
    ...(offers.tasks && { extensions: { [TASKS_EXTENSION]: {} } }),
  };
}
