/** What an argument of a prompt, or of a family of resources, could go on as: by the word of its server. */
import { HostError, isJsonObject } from "@plugboard/contracts";
import type { Completion, CompletionArgument, CompletionRef } from "@plugboard/contracts";
import type { OpBy, Ops } from "../calls/ops.ts";
import { targetOf } from "./reach.ts";
import type { Reach } from "./reach.ts";

export interface CompletionsOptions {
  readonly reach: Reach;
  readonly ops: Ops;
}

/** As many as the protocol allows at once. */
const MAX_VALUES = 100;

export class Completions {
  readonly #options: CompletionsOptions;

  constructor(options: CompletionsOptions) {
    this.#options = options;
  }

  /** `context`: what the other arguments have been set to. */
  async complete(
    server: string,
    ref: CompletionRef,
    argument: CompletionArgument,
    context: { readonly [name: string]: string },
    by: OpBy,
  ): Promise<Completion> {
    const { reach, ops } = this.#options;
    const others = Object.keys(context).length > 0 && { context: { arguments: context } };
    const op = { method: "completion/complete", params: { ref, argument, ...others } } as const;
    const { completion } = await ops.run(op, await targetOf(reach.one(server, op.method)), by);
    if (!isJsonObject(completion) || !Array.isArray(completion["values"])) {
      throw new HostError("UNEXPECTED_RESPONSE", { server, what: 'completion/complete has no list of "values"' });
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
