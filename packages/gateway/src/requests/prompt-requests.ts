/** Lists the prompts of all servers under unique names, and gets a prompt from its server. */
import { isJsonObject, toAbortSignal } from "@plugboard/contracts";
import type { Json, JsonObject, CancelSignal } from "@plugboard/contracts";
import { rewriteResultUris } from "@plugboard/host/forwarding";
import type { NameTable, ToolKey } from "@plugboard/host/forwarding";
import type { OpenWorkspace } from "@plugboard/host/workspace";
import type { Op, Outcome } from "@plugboard/mcp";
import { strictDescription } from "../strict/strict-description.ts";
import { strictPromptResult } from "../strict/strict-result.ts";
import { adaptOutcome } from "./adapt-outcome.ts";
import { serverContext } from "./front-request.ts";
import type { FrontRequest } from "./front-request.ts";
import type { FrontView } from "../profiles/front-view.ts";
import { pageOutcome } from "./pages.ts";
import { invalidParams } from "./peer-failure.ts";
import type { ResourceDirectory } from "../profiles/resource-directory.ts";

type GetParams = Extract<Op, { method: "prompts/get" }>["params"];

export interface PromptRequestsOptions {
  readonly workspace: OpenWorkspace;
  readonly view: FrontView;
  readonly directory: ResourceDirectory;
}

export class PromptRequests {
  readonly #options: PromptRequestsOptions;
  #names: NameTable;

  constructor(options: PromptRequestsOptions) {
    this.#options = options;
    this.#names = options.view.newNameTable();
  }

  async list({ cursor }: { readonly cursor?: string }, { ctx }: FrontRequest): Promise<Outcome> {
    return pageOutcome(await this.#list(ctx.signal), { method: "prompts/list", key: "prompts", cursor });
  }

  async get({ name: outward, arguments: args }: GetParams, request: FrontRequest): Promise<Outcome> {
    const { ctx, caller, resumed } = request;
    const found = await this.resolve(outward, ctx.signal);
    if (!found) return invalidParams("prompts/get", `There is no prompt "${outward}"`);
    const { workspace, directory } = this.#options;
    const { server, tool: name } = found;
    const params = { name, ...(args && { arguments: args }), ...(resumed && { resumed }) };
    const context = serverContext(server, request);
    const outcome = await workspace.forwarding.request(server, { method: "prompts/get", params }, context);
    const adaptResult = (result: JsonObject) =>
      strictPromptResult(rewriteResultUris(result, directory.outwardFrom(server)), ctx.revision);
    return adaptOutcome(outcome, { ctx, workspace, server, caller, adaptResult });
  }

  /**
   * Returns the server of a prompt, and the server's own name for it. Lists the prompts first if the name that the
   * client sent is not known yet.
   */
  async resolve(outward: string, signal?: CancelSignal): Promise<ToolKey | undefined> {
    const found = this.#names.resolve(outward);
    if (found && this.#options.view.includes(found.server)) return found;
    await this.#list(signal);
    return this.#names.resolve(outward);
  }

  async #list(signal?: CancelSignal): Promise<JsonObject[]> {
    const { workspace, view } = this.#options;
    const listed = await workspace.forwarding.list("prompts", (id) => view.includes(id), toAbortSignal(signal));
    const names = view.newNameTable();
    for (const server of new Set(listed.map((prompt) => prompt.server))) {
      names.update(
        server,
        listed.filter((prompt) => prompt.server === server),
      );
    }
    this.#names = names;
    return listed.flatMap(({ server, ...prompt }) => {
      const name = names.nameOf(server, prompt.name);
      // Another prompt has the name.
      if (name === undefined) return [];
      const { arguments: args, ...fields } = prompt;
      return [{ ...strictDescription(fields), name, ...(Array.isArray(args) && { arguments: args.map(strictItem) }) }];
    });
  }
}

function strictItem(value: Json): Json {
  return isJsonObject(value) ? strictDescription(value) : value;
}
