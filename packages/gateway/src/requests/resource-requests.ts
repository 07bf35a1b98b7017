/** Lists the resources of all servers, and reads a resource from the server that owns it. */
import type { JsonObject } from "@plugboard/contracts";
import { rewriteResultUris } from "@plugboard/host/forwarding";
import type { OpenWorkspace } from "@plugboard/host/workspace";
import type { Outcome } from "@plugboard/mcp";
import { strictContents } from "../strict/strict-content.ts";
import { withoutServerInfo } from "../strict/strict-result.ts";
import { adaptOutcome } from "./adapt-outcome.ts";
import { serverContext } from "./front-request.ts";
import type { FrontRequest } from "./front-request.ts";
import { pageOutcome } from "./pages.ts";
import { resourceNotFound, unknownOutput, withResourceUri } from "./peer-failure.ts";
import { capContents } from "../profiles/cap-contents.ts";
import type { FrontView } from "../profiles/front-view.ts";
import type { StoredOutputs } from "../profiles/stored-outputs.ts";
import type { ResourceDirectory } from "../profiles/resource-directory.ts";

interface PageParams {
  readonly cursor?: string;
}

export interface ResourceRequestsOptions {
  readonly workspace: OpenWorkspace;
  readonly view: FrontView;
  readonly directory: ResourceDirectory;
  readonly outputs: StoredOutputs;
}

export class ResourceRequests {
  readonly #options: ResourceRequestsOptions;

  constructor(options: ResourceRequestsOptions) {
    this.#options = options;
  }

  async list({ cursor }: PageParams, { ctx }: FrontRequest): Promise<Outcome> {
    const resources = await this.#options.directory.list(ctx.signal);
    return pageOutcome(resources, { method: "resources/list", key: "resources", cursor });
  }

  async templates({ cursor }: PageParams, { ctx }: FrontRequest): Promise<Outcome> {
    const templates = await this.#options.directory.templates(ctx.signal);
    return pageOutcome(templates, { method: "resources/templates/list", key: "resourceTemplates", cursor });
  }

  async read({ uri: outward }: { readonly uri: string }, request: FrontRequest): Promise<Outcome> {
    const { ctx, caller, resumed } = request;
    const { workspace, view, directory, outputs } = this.#options;
    if (outputs.isOutput(outward)) return this.#readOutput(outward, request);
    const found = await directory.resolve(outward, ctx.signal);
    if (!found) return resourceNotFound(outward);
    const { server, uri } = found;
    const params = { uri, ...(resumed && { resumed }) };
    const context = serverContext(server, request);
    const outcome = await workspace.forwarding.request(server, { method: "resources/read", params }, context);
    const adaptResult = (result: JsonObject) => {
      const { contents, ...others } = withoutServerInfo(result);
      const strict = { ...others, contents: Array.isArray(contents) ? strictContents(contents, uri) : [] };
      // The resource keeps the URI that the client has used. `directory.outward` would record the server as the owner
      // of its own URI, although the client may have used one that names the server.
      const rewritten = rewriteResultUris(strict, (one) => (one === uri ? outward : directory.outward(server, one)));
      return capContents(rewritten, outward, caller, { view, outputs });
    };
    return adaptOutcome(withResourceUri(outcome, outward), {
      ctx,
      workspace,
      server,
      caller,
      adaptResult,
    });
  }

  /** Reads a part of a result that was cut for this client. */
  async #readOutput(uri: string, { caller }: FrontRequest): Promise<Outcome> {
    const part = await this.#options.outputs.read(uri, caller);
    return part ? { type: "complete", result: { contents: [part] } } : unknownOutput(uri);
  }
}
