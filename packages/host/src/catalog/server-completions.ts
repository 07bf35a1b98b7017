/** Completes an argument of a prompt, or a variable of a resource template, by asking its server. */
import { HostError, isJsonObject } from "@plugboard/contracts";
import type { Completion, CompletionArgument, CompletionRef } from "@plugboard/contracts";
import type { RequestContext } from "../calls/ask-user.ts";
import type { CatalogPorts } from "./list-across-servers.ts";

/** The most values that the protocol allows in one completion. */
const MAX_VALUES = 100;

export class ServerCompletions {
  readonly #ports: CatalogPorts;

  constructor(ports: CatalogPorts) {
    this.#ports = ports;
  }

  /** `otherArguments` are the values of the arguments that are already filled in. */
  async complete(
    server: string,
    ref: CompletionRef,
    argument: CompletionArgument,
    otherArguments: { readonly [name: string]: string },
    context: RequestContext,
  ): Promise<Completion> {
    const { targets, requests } = this.#ports;
    const filledIn = Object.keys(otherArguments).length > 0 && { context: { arguments: otherArguments } };
    const request = { method: "completion/complete", params: { ref, argument, ...filledIn } } as const;
    const { completion } = await requests.run(request, targets.get(server, request.method), context);
    if (!isJsonObject(completion) || !Array.isArray(completion["values"])) {
      throw new HostError("UNEXPECTED_RESPONSE", { server, reason: 'completion/complete has no list of "values"' });
    }
    const values = completion["values"].filter((value) => typeof value === "string");
    const { total, hasMore } = completion;
    const hasMoreValues = hasMore === true || values.length > MAX_VALUES;
    return {
      values: values.slice(0, MAX_VALUES),
      ...(typeof total === "number" && { total }),
      ...(hasMoreValues && { hasMore: true }),
    };
  }
}
