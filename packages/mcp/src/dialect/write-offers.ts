/** What is offered, as capabilities that a front reads. */
import type { JsonObject } from "@plugboard/contracts";
import { TASKS } from "./identity.ts";
import type { Offers } from "./session.ts";

export function writeOffers({ changes, ...offers }: Offers): JsonObject {
  return {
    ...(offers.tools && { tools: { listChanged: changes.tools } }),
    ...(offers.resources && { resources: { listChanged: changes.resources, subscribe: offers.subscribe } }),
    ...(offers.prompts && { prompts: { listChanged: changes.prompts } }),
    ...(offers.completion && { completions: {} }),
    ...(offers.logging && { logging: {} }),
    ...(offers.tasks && { extensions: { [TASKS]: {} } }),
  };
}
