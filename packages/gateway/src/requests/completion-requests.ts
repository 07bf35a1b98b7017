/** Completes an argument of a prompt or template, by asking the server that owns it. */
import type { CompletionRef, CancelSignal } from "@plugboard/contracts";
import type { OpenWorkspace } from "@plugboard/host/workspace";
import type { Op, Outcome } from "@plugboard/mcp";
import { strictCompletion } from "../strict/strict-completion.ts";
import { adaptOutcome } from "./adapt-outcome.ts";
import { serverContext } from "./front-request.ts";
import type { FrontRequest } from "./front-request.ts";
import { invalidParams } from "./peer-failure.ts";
import type { PromptRequests } from "./prompt-requests.ts";
import type { ResourceDirectory } from "../profiles/resource-directory.ts";

type CompleteParams = Extract<Op, { method: "completion/complete" }>["params"];

export interface CompletionRequestsOptions {
  readonly workspace: OpenWorkspace;
  readonly prompts: PromptRequests;
  readonly directory: ResourceDirectory;
}

export class CompletionRequests {
  readonly #options: CompletionRequestsOptions;

  constructor(options: CompletionRequestsOptions) {
    this.#options = options;
  }

  async complete(params: CompleteParams, request: FrontRequest): Promise<Outcome> {
    const { ctx, caller } = request;
    const { workspace } = this.#options;
    const method = "completion/complete";
    const found = await this.#resolve(params.ref, ctx.signal);
    if (!found) return invalidParams(method, "There is no such prompt or resource template");
    const { server, ref } = found;
    const { forwarding } = workspace;
    const { capabilities } = forwarding.servers().find(({ id }) => id === server) ?? {};
    // The gateway offers completion for all servers, so a server without it has no suggestions.
    if (capabilities?.completion === false) return { type: "complete", result: strictCompletion({}) };
    const context = serverContext(server, request);
    const outcome = await forwarding.request(server, { method, params: { ...params, ref } }, context);
    return adaptOutcome(outcome, { ctx, workspace, server, caller, adaptResult: strictCompletion });
  }

  async #resolve(
    ref: CompletionRef,
    signal: CancelSignal,
  ): Promise<{ server: string; ref: CompletionRef } | undefined> {
    const { prompts, directory } = this.#options;
    if (ref.type === "ref/prompt") {
      const found = await prompts.resolve(ref.name, signal);
      return found && { server: found.server, ref: { ...ref, name: found.tool } };
    }
    const found = await directory.resolve(ref.uri, signal);
    return found && { server: found.server, ref: { ...ref, uri: found.uri } };
  }
}
