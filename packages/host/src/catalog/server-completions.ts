/** What an argument of a prompt, or of a family of resources, could go on as: by the word of its server. */
import { HostError, isJsonObject } from "@plugboard/contracts";
import type { Completion, CompletionArgument, CompletionRef } from "@plugboard/contracts";
import type { RequestContext } from "../calls/ask-user.ts";
import type { ServerRequests } from "../calls/server-requests.ts";
import { requestTarget } from "./server-access.ts";
import type { ServerAccess } from "./server-access.ts";

export interface ServerCompletionsOptions {
  readonly access: ServerAccess;
  readonly requests: ServerRequests;
}

/** As many as the protocol allows at once. */
const MAX_VALUES = 100;

export class ServerCompletions {
  readonly #options: ServerCompletionsOptions;

  constructor(options: ServerCompletionsOptions) {
    this.#options = options;
  }

  /** `context`: what the other arguments have been set to. */
  async complete(
    server: string,
    ref: CompletionRef,
    argument: CompletionArgument,
    otherArguments: { readonly [name: string]: string },
    requestContext: RequestContext,
  ): Promise<Completion> {
    const { access, requests } = this.#options;
    const others = Object.keys(otherArguments).length > 0 && { context: { arguments: otherArguments } };
    const request = { method: "completion/complete", params: { ref, argument, ...others } } as const;
    const { completion } = await requests.run(
      request,
      await requestTarget(access.get(server, request.method)),
      requestContext,
    );
    if (!isJsonObject(completion) || !Array.isArray(completion["values"])) {
      throw new HostError("UNEXPECTED_RESPONSE", { server, reason: 'completion/complete has no list of "values"' });
    }
    const values = completion["values"].filter((value) => typeof value === "string");
    const { total, hasMore } = completion;
    const more = hasMore === true || values.length > MAX_VALUES;
    return {
      values: values.slice(0, MAX_VALUES),
      ...(typeof total === "number" && { total }),
      ...(more && { hasMore: true }),
    };
  }
}
