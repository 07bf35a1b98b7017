/** Serves `HostApi` to other processes over HTTP. Each request is a method call of the channel's caller. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { resolve } from "node:path";
import {
  HostError,
  VERSION_HEADER,
  WORKSPACE_METHODS,
  callHostMethod,
  callWorkspaceMethod,
  controlPaths,
  isHostMethodPath,
  isJsonObject,
  isWorkspaceMethodPath,
  toHostError,
  unpackArguments,
} from "@plugboard/contracts";
import type { ChannelOpened, CallerKind, HostErrorJson, Snapshot, WorkspaceMethodPath } from "@plugboard/contracts";
import { PipelineLimiter, clientDisconnectSignal } from "@plugboard/gateway";
import { VERSION } from "@plugboard/host";
import type { Channel, Channels } from "./channels.ts";
import type { HostController } from "./lifecycle/host-controller.ts";
import { EventStream } from "./event-stream.ts";
import { readJsonBody } from "./read-json-body.ts";
import { parseWorkspaceSpec } from "./parse-workspace-spec.ts";
import { sendError, sendJson } from "./send-json.ts";
import { PendingRequests } from "./pending-requests.ts";

export interface ControlPolicy {
  /** The caller kinds that clients of this listener may choose. */
  readonly kinds: readonly CallerKind[];
  /** True if a client may add servers and trust a project's servers. Both make the host run commands that the client chose. */
  readonly mayAddServers: boolean;
  /** True if a client may use `HostControl`: open and close the port, and stop the host. */
  readonly mayControlHost: boolean;
  /** The only folder whose workspace may be opened. By default any folder. */
  readonly folder?: string;
}

const PATH = new RegExp(
  `^${controlPaths.channels}(?:/([\\w-]+)/(?:(events|workspaces)(?:/([\\w-]+)/([\\w.]+))?|host/([\\w.]+)))?$`,
);

export class ControlApi {
  readonly #channels: Channels;
  readonly #controller: HostController;
  readonly #pipelineLimiter = new PipelineLimiter();
  readonly #pending = new PendingRequests();
  /** Streams that stay open as long as their clients read. */
  readonly #streams = new Set<EventStream>();

  constructor(channels: Channels, controller: HostController) {
    this.#channels = channels;
    this.#controller = controller;
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

  /** Handles one request. `policy` says what clients of the request's listener may do. */
  async handle(request: IncomingMessage, response: ServerResponse, policy: ControlPolicy): Promise<void> {
    if (!(await this.#pipelineLimiter.enter(request, response))) return;
    // The host was closed while the request waited for earlier ones. The request already has its answer.
    if (response.writableEnded) return;
    const [pathname = "", query = ""] = (request.url ?? "/").split("?", 2);
    if (pathname === controlPaths.feed) return this.#pending.track(this.#streamFeed(query, request, response, policy));
    const parts = PATH.exec(pathname);
    if (!parts) return sendError(response, new HostError("NOT_FOUND", { subject: "such address" }));
    const [, channelId, collection, workspaceId, method, hostMethod] = parts;
    if (channelId === undefined) return this.#pending.track(this.#openChannel(request, response, policy));
    // Each listener has its own policy object, which identifies it.
    const channel = this.#channels.find(channelId, policy);
    // A command of another version can't do more than control the host, in order to replace it.
    if (hostMethod !== undefined) {
      return this.#pending.track(this.#controlHost(channel, hostMethod, request, response, policy));
    }
    const client = request.headers[VERSION_HEADER];
    // A client that is not part of Plugboard relies on the version in the path.
    if (client !== undefined && client !== VERSION) {
      return sendError(response, new HostError("VERSION_SKEW", { host: VERSION, client: String(client) }));
    }
    if (collection === "events") return this.#streamEvents(channel, query, request, response);
    const answer =
      workspaceId === undefined
        ? this.#openWorkspace(channel, request, response, policy)
        : this.#invoke(channel, workspaceId, method!, request, response, policy);
    return this.#pending.track(answer);
  }

  /** Opens a channel. The channel ends when the client closes this stream. */
  async #openChannel(request: IncomingMessage, response: ServerResponse, policy: ControlPolicy): Promise<void> {
    const body = await readJsonBody(request);
    const { kind, attended, watchesInbox } = isJsonObject(body) ? body : {};
    const allowedKind = policy.kinds.find((candidate) => candidate === kind);
    if (!allowedKind)
      throw new HostError("FORBIDDEN", { reason: `a client can't be a caller of kind ${JSON.stringify(kind)} here` });
    const channel = this.#channels.open({
      kind: allowedKind,
      attended: attended === true,
      watchesInbox: watchesInbox === true,
      listener: policy,
    });
    const stream = this.#openStream(request, response);
    if (stream.disconnected.aborted) return this.#channels.close(channel);
    stream.disconnected.addEventListener("abort", () => void this.#channels.close(channel), { once: true });
    const { version, build } = this.#controller.facts;
    const host = { version, ...(build !== undefined && { build }) };
    stream.send({ channel: channel.id, caller: channel.api.caller, seq: channel.seq, ...host } satisfies ChannelOpened);
  }

  async #controlHost(
    channel: Channel,
    method: string,
    request: IncomingMessage,
    response: ServerResponse,
    { mayControlHost }: ControlPolicy,
  ): Promise<void> {
    if (!mayControlHost)
      throw new HostError("FORBIDDEN", { reason: "only a client of the socket can control the host" });
    if (!isHostMethodPath(method)) throw new HostError("NOT_FOUND", { subject: `method ${method}` });
    const args = unpackArguments(method, await readArguments(request));
    sendJson(response, (await callHostMethod(this.#controller.forChannel(channel), method, args)) ?? null);
  }

  async #openWorkspace(
    channel: Channel,
    request: IncomingMessage,
    response: ServerResponse,
    { mayAddServers, folder }: ControlPolicy,
  ): Promise<void> {
    const spec = parseWorkspaceSpec(await readJsonBody(request), folder);
    checkFolder(spec.cwd, folder);
    const additions = [spec.servers, spec.configFiles, spec.permissions, spec.env];
    if (!mayAddServers && additions.some(isPresent)) {
      throw new HostError("FORBIDDEN", {
        reason: "only a client of the socket can add servers, rules or an environment",
      });
    }
    sendJson(response, { workspace: await this.#channels.openWorkspace(channel, spec) });
  }

  async #invoke(
    channel: Channel,
    workspaceId: string,
    method: string,
    request: IncomingMessage,
    response: ServerResponse,
    { mayAddServers }: ControlPolicy,
  ): Promise<void> {
    const { bound } = this.#channels.findWorkspace(channel, workspaceId);
    if (!isWorkspaceMethodPath(method)) throw new HostError("NOT_FOUND", { subject: `method ${method}` });
    const sent = await readArguments(request);
    const signal = clientDisconnectSignal(request, response);
    if (!mayAddServers && addsServers(method, sent)) {
      throw new HostError("FORBIDDEN", { reason: "only a client of the socket can add or trust servers" });
    }
    const args = unpackArguments(method, sent, { signal, onProgress: (progress) => stream?.send({ progress }) });
    // The stream begins after the checks, so that invalid arguments get an HTTP error.
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

  /** Sends the snapshot of a workspace, then the events. The caller can't use the workspace otherwise. */
  async #streamFeed(
    query: string,
    request: IncomingMessage,
    response: ServerResponse,
    policy: ControlPolicy,
  ): Promise<void> {
    const { cwd } = parseWorkspaceSpec(Object.fromEntries(new URLSearchParams(query)), policy.folder);
    checkFolder(cwd, policy.folder);
    const channel = this.#channels.open({ kind: policy.kinds[0]!, listener: policy });
    let snapshot: Snapshot;
    try {
      const id = await this.#channels.openWorkspace(channel, { cwd });
      snapshot = await this.#channels.findWorkspace(channel, id).bound.snapshot();
    } catch (error) {
      await this.#channels.close(channel);
      throw error;
    }
    const stream = this.#openStream(request, response);
    stream.sendNamed("snapshot", snapshot);
    void this.#followEvents(channel, snapshot.seq, stream).finally(() => void this.#channels.close(channel));
  }

  async #followEvents(channel: Channel, after: number, stream: EventStream): Promise<void> {
    for await (const event of channel.api.events(after, stream.disconnected)) stream.sendNamed(event.type, event);
    stream.end();
  }

  #openStream(request: IncomingMessage, response: ServerResponse): EventStream {
    const stream = new EventStream(request, response);
    this.#streams.add(stream);
    response.once("close", () => this.#streams.delete(stream));
    return stream;
  }
}

async function readArguments(request: IncomingMessage): Promise<readonly unknown[]> {
  const sent = await readJsonBody(request);
  if (!Array.isArray(sent)) throw new HostError("USAGE", { message: "the arguments must be a list" });
  return sent;
}

/** In another folder than the served one, a client could have written config files that run its own commands. */
function checkFolder(cwd: string, served: string | undefined): void {
  if (served === undefined || resolve(cwd) === resolve(served)) return;
  throw new HostError("FORBIDDEN", { reason: "only a client of the socket can open another folder" });
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function toErrorEvent(thrown: unknown): { error: HostErrorJson } {
  return { error: toHostError(thrown).toJSON() };
}

/** Returns true if a call adds a server definition or trusts a project's server. Accepts unchecked arguments. */
function addsServers(path: WorkspaceMethodPath, args: readonly unknown[]): boolean {
  const second = args[1];
  if (path === "servers.connect") return isJsonObject(second) && isPresent(second["definition"]);
  if (path === "inbox.answer") return isJsonObject(second) && second["type"] === "trust";
  return path === "servers.set" || path === "config.trust";
}
