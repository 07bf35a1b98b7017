/** `HostApi` for other processes: requests become method calls on a channel's own view of the host. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { resolve } from "node:path";
import {
  callWorkspaceMethod,
  HostError,
  isJsonObject,
  isWorkspaceMethodPath,
  toHostError,
  unpackArguments,
  VERSION_HEADER,
  WORKSPACE_METHODS,
} from "@plugboard/contracts";
import type { CallerKind, HostErrorJson } from "@plugboard/contracts";
import { clientDisconnectSignal, PipelineLimiter } from "@plugboard/gateway";
import { VERSION } from "@plugboard/host";
import { addsServers } from "./adds-servers.ts";
import type { Channel, Channels } from "./channels.ts";
import { EventStream } from "./event-stream.ts";
import { readJsonBody } from "./read-json-body.ts";
import { parseWorkspaceSpec } from "./parse-workspace-spec.ts";
import { sendError, sendJson } from "./send-json.ts";
import { PendingRequests } from "./pending-requests.ts";

export interface ControlPolicy {
  /** Which faces may come in by this door. */
  readonly kinds: readonly CallerKind[];
  /** Whether a client may bring servers of its own, or agree to a project's, which means commands to run. */
  readonly mayAddServers: boolean;
  /** The only folder that a workspace may be of; any, unless given. */
  readonly folder?: string;
}

const PATH = /^\/api\/channels(?:\/([\w-]+)\/(events|workspaces)(?:\/([\w-]+)\/([\w.]+))?)?$/;

export class ControlApi {
  readonly #channels: Channels;
  readonly #pipelined = new PipelineLimiter();
  readonly #pending = new PendingRequests();
  /** Streams that stay open as long as their clients read. */
  readonly #streams = new Set<EventStream>();

  constructor(channels: Channels) {
    this.#channels = channels;
  }

  /** True while a client waits for an answer. */
  get busy(): boolean {
    return this.#pending.size > 0;
  }

  /** Answers pending requests with HOST_CLOSED and ends all streams. */
  close(): void {
    this.#pending.rejectAll(new HostError("HOST_CLOSED", {}));
    for (const stream of this.#streams) stream.end();
  }

  async handle(request: IncomingMessage, response: ServerResponse, policy: ControlPolicy): Promise<void> {
    if (!(await this.#pipelined.enter(request, response))) return;
    // The host closed and answered the request while it waited.
    if (response.writableEnded) return;
    const [pathname = "", query = ""] = (request.url ?? "/").split("?", 2);
    const parts = PATH.exec(pathname);
    if (!parts) return sendError(response, new HostError("NOT_FOUND", { subject: "such address" }));
    const client = request.headers[VERSION_HEADER];
    if (client !== VERSION) {
      return sendError(response, new HostError("VERSION_SKEW", { host: VERSION, client: String(client) }));
    }
    const [, channelId, collection, workspace, method] = parts;
    if (channelId === undefined) return this.#pending.track(this.#openChannel(request, response, policy));
    const channel = this.#channels.find(channelId, policy);
    if (collection === "events") return this.#streamEvents(channel, query, request, response);
    const answered =
      workspace === undefined
        ? this.#openWorkspace(channel, request, response, policy)
        : this.#invoke(channel, workspace, method!, request, response, policy);
    return this.#pending.track(answered);
  }

  /** The channel lives as long as the client reads this stream. */
  async #openChannel(request: IncomingMessage, response: ServerResponse, policy: ControlPolicy): Promise<void> {
    const body = await readJsonBody(request);
    const { kind, attended } = isJsonObject(body) ? body : {};
    const allowed = policy.kinds.find((one) => one === kind);
    if (!allowed)
      throw new HostError("FORBIDDEN", { reason: `a caller can't come in as ${JSON.stringify(kind)} here` });
    const channel = this.#channels.open(allowed, attended === true, policy);
    const stream = this.#openStream(request, response);
    if (stream.disconnected.aborted) return this.#channels.close(channel);
    stream.disconnected.addEventListener("abort", () => void this.#channels.close(channel), { once: true });
    stream.send({ channel: channel.id, caller: channel.api.caller });
  }

  async #openWorkspace(
    channel: Channel,
    request: IncomingMessage,
    response: ServerResponse,
    { mayAddServers, folder }: ControlPolicy,
  ): Promise<void> {
    const spec = parseWorkspaceSpec(await readJsonBody(request), folder);
    // The files of another folder were chosen by whoever calls.
    if (folder !== undefined && resolve(spec.cwd) !== resolve(folder)) {
      throw new HostError("FORBIDDEN", { reason: "another folder can be opened only over the socket" });
    }
    if (!mayAddServers && (spec.servers ?? spec.configFiles ?? spec.permissions ?? spec.env) !== undefined) {
      throw new HostError("FORBIDDEN", { reason: "servers can be brought only over the socket" });
    }
    sendJson(response, { workspace: await this.#channels.openWorkspace(channel, spec) });
  }

  async #invoke(
    channel: Channel,
    id: string,
    method: string,
    request: IncomingMessage,
    response: ServerResponse,
    { mayAddServers }: ControlPolicy,
  ): Promise<void> {
    const { bound } = this.#channels.findWorkspace(channel, id);
    if (!isWorkspaceMethodPath(method)) throw new HostError("NOT_FOUND", { subject: `method ${method}` });
    const sent = await readJsonBody(request);
    if (!Array.isArray(sent)) throw new HostError("USAGE", { message: "the arguments must be a list" });
    const signal = clientDisconnectSignal(request, response);
    if (!mayAddServers && addsServers(method, sent)) {
      throw new HostError("FORBIDDEN", { reason: "servers can be brought, or agreed to, only over the socket" });
    }
    const args = unpackArguments(method, sent, { signal, onProgress: (progress) => stream?.send({ progress }) });
    // The response becomes a stream only now, so that invalid arguments are answered with an HTTP error.
    const stream = WORKSPACE_METHODS[method].progress && new EventStream(request, response);
    const result = callWorkspaceMethod(bound, method, args);
    if (!stream) return sendJson(response, (await result) ?? null);
    stream.send(await this.#pending.track(result).then((value) => ({ result: value }), toErrorEvent));
    stream.end();
  }

  async #streamEvents(
    channel: Channel,
    query: string,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const after = /^after=(\d+)$/.exec(query)?.[1];
    const stream = this.#openStream(request, response);
    for await (const event of channel.api.events(
      after === undefined ? undefined : Number(after),
      stream.disconnected,
    )) {
      stream.send(event);
    }
    stream.end();
  }

  #openStream(request: IncomingMessage, response: ServerResponse): EventStream {
    const stream = new EventStream(request, response);
    this.#streams.add(stream);
    response.once("close", () => this.#streams.delete(stream));
    return stream;
  }
}

function toErrorEvent(thrown: unknown): { error: HostErrorJson } {
  return { error: toHostError(thrown).toJSON() };
}
