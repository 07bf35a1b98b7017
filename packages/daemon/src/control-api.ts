/** `HostApi` for other processes: requests become method calls on a channel's own view of the host. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { HostError, toHostError, VERSION_HEADER } from "@plugboard/contracts";
import type { CallerKind, HostErrorJson, JsonObject, ToolRef, WorkspaceSpec } from "@plugboard/contracts";
import { VERSION } from "@plugboard/host";
import type { Channel, Channels } from "./channels.ts";
import { EventStream } from "./event-stream.ts";
import { readJson } from "./read-json.ts";
import { sendError, sendJson } from "./send.ts";
import { METHODS } from "./workspace-methods.ts";

export interface ControlPolicy {
  /** Which faces may come in by this door. */
  readonly kinds: readonly CallerKind[];
  /** Whether a client may bring servers of its own, which means commands to run. */
  readonly mayBringServers: boolean;
}

const PATH = /^\/api\/channels(?:\/([\w-]+)\/(events|workspaces)(?:\/([\w-]+)\/([\w.]+))?)?$/;

export class ControlApi {
  readonly #channels: Channels;

  constructor(channels: Channels) {
    this.#channels = channels;
  }

  async handle(request: IncomingMessage, response: ServerResponse, policy: ControlPolicy): Promise<void> {
    const [pathname = "", query = ""] = (request.url ?? "/").split("?", 2);
    const parts = PATH.exec(pathname);
    if (!parts) return sendError(response, new HostError("NOT_FOUND", { what: "such address" }));
    const client = request.headers[VERSION_HEADER];
    if (client !== VERSION) {
      return sendError(response, new HostError("VERSION_SKEW", { host: VERSION, client: String(client) }));
    }
    const [, channelId, what, workspace, method] = parts;
    if (channelId === undefined) return this.#openChannel(request, response, policy);
    const channel = this.#channels.find(channelId);
    if (what === "events") return this.#events(channel, query, response);
    if (workspace === undefined) return this.#openWorkspace(channel, request, response, policy);
    return this.#invoke(channel, workspace, method!, request, response);
  }

  /** The channel lives as long as the client reads this stream. */
  async #openChannel(request: IncomingMessage, response: ServerResponse, policy: ControlPolicy): Promise<void> {
    const { kind, attended } = (await readJson(request)) as { kind?: CallerKind; attended?: boolean };
    const allowed = policy.kinds.find((one) => one === kind);
    if (!allowed) throw new HostError("FORBIDDEN", { why: `a caller can't come in as ${JSON.stringify(kind)} here` });
    const channel = this.#channels.open(allowed, attended === true);
    const stream = new EventStream(response);
    if (stream.closed.aborted) return this.#channels.close(channel);
    stream.closed.addEventListener("abort", () => void this.#channels.close(channel), { once: true });
    stream.send({ channel: channel.id, caller: channel.api.caller });
  }

  async #openWorkspace(
    channel: Channel,
    request: IncomingMessage,
    response: ServerResponse,
    { mayBringServers }: ControlPolicy,
  ): Promise<void> {
    const spec = (await readJson(request)) as WorkspaceSpec;
    if (typeof spec.cwd !== "string") throw new HostError("USAGE", { what: 'a workspace needs its folder, "cwd"' });
    if (!mayBringServers && (spec.servers ?? spec.configFiles ?? spec.permissions ?? spec.env) !== undefined) {
      throw new HostError("FORBIDDEN", { why: "servers can be brought only over the socket" });
    }
    sendJson(response, { workspace: await this.#channels.openWorkspace(channel, spec) });
  }

  async #invoke(
    channel: Channel,
    id: string,
    method: string,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const { bound } = this.#channels.findWorkspace(channel, id);
    const args = (await readJson(request)) as unknown[];
    const gone = new AbortController();
    response.once("close", () => gone.abort("the client went away"));
    if (method === "release") {
      await this.#channels.release(channel, id);
      return sendJson(response, null);
    }
    if (method === "tools.call") {
      const [ref, toolArgs] = args as [ToolRef, JsonObject];
      const stream = new EventStream(response);
      const onProgress = (progress: unknown) => stream.send({ progress });
      const options = { signal: gone.signal, onProgress };
      stream.send(await bound.tools.call(ref, toolArgs, options).then((result) => ({ result }), failure));
      return stream.end();
    }
    const run = METHODS[method];
    if (!run) throw new HostError("NOT_FOUND", { what: `method ${method}` });
    sendJson(response, (await run(bound, args, gone.signal)) ?? null);
  }

  async #events(channel: Channel, query: string, response: ServerResponse): Promise<void> {
    const after = /^after=(\d+)$/.exec(query)?.[1];
    const stream = new EventStream(response);
    for await (const event of channel.api.events(after === undefined ? undefined : Number(after), stream.closed)) {
      stream.send(event);
    }
    stream.end();
  }
}

function failure(thrown: unknown): { error: HostErrorJson } {
  return { error: toHostError(thrown).toJSON() };
}
