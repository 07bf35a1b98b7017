/**
 * Serves `HostApi` to other processes over HTTP: to commands and programs on the socket, to the page and to programs
 * with the owner's token on the port. A client opens a channel first. Each further request is a method call of its
 * caller.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import {
  HostError,
  VERSION_HEADER,
  WORKSPACE_METHODS,
  callMethod,
  controlPaths,
  isChatMethodPath,
  isHostMethodPath,
  isJsonObject,
  isOperationPath,
  isWorkspaceMethodPath,
  requireMethodRights,
  toHostError,
  unpackArguments,
} from "@plugboard/contracts";
import type {
  CallEvent,
  ChannelOpened,
  Chats,
  HostEvent,
  MethodPath,
  Snapshot,
  WorkspaceOpened,
  WorkspaceSpec,
} from "@plugboard/contracts";
import { PipelineLimiter } from "@plugboard/mcp/server-transport";
import { VERSION } from "@plugboard/host";
import { ROUTES } from "../http/routes.ts";
import { sentToAll } from "./channels.ts";
import type { Channel, Channels, SentEvents } from "./channels.ts";
import { checkFolder, checkSpecRights } from "./door.ts";
import type { Door } from "./door.ts";
import type { HostController } from "./host-controller.ts";
import { EventStream } from "./event-stream.ts";
import type { OperationsOf } from "./load-operations.ts";
import { readJsonBody } from "../http/read-json-body.ts";
import { parseChatSpec } from "./parse-chat-spec.ts";
import { parseWorkspaceSpec } from "./parse-workspace-spec.ts";
import { sendError, sendJson } from "../http/send-json.ts";
import { PendingRequests } from "./pending-requests.ts";
import { requestSignal } from "./request-signal.ts";

const BODY = ROUTES.control.body;
/**
 * The paths of channels, such as `/api/v1/channels/<channel>/workspaces/<workspace>/<method>`. The groups: channel,
 * "events" or "workspaces", workspace, its method, method of the host, operation, method or id of a chat, "/workspace".
 */
const PATH = new RegExp(
  `^${controlPaths.channels}(?:/([\\w-]+)/(?:(events|workspaces)(?:/([\\w-]+)/([\\w.]+))?|host/([\\w.]+)|operations/([\\w.]+)|chats/([\\w.-]+)(/workspace)?))?$`,
);

export class ControlApi {
  readonly #channels: Channels;
  readonly #controller: HostController;
  readonly #operations: OperationsOf;
  readonly #pipelineLimiter = new PipelineLimiter();
  readonly #pending = new PendingRequests();
  /** The open streams of channels and events. They end when the client disconnects or the host closes. */
  readonly #streams = new Set<EventStream>();

  constructor(channels: Channels, controller: HostController, operations: OperationsOf) {
    this.#channels = channels;
    this.#controller = controller;
    this.#operations = operations;
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

  /** Handles one request. `door` is the way by which it came. */
  async handle(request: IncomingMessage, response: ServerResponse, door: Door): Promise<void> {
    if (!(await this.#pipelineLimiter.enter(request, response))) return;
    // The host was closed while the request waited for earlier ones. The request already has its answer.
    if (response.writableEnded) return;
    const [pathname, query = ""] = request.url!.split("?") as [string, string?];
    if (pathname === controlPaths.feed) return this.#pending.track(this.#streamFeed(query, request, response, door));
    const parts = PATH.exec(pathname);
    if (!parts) return sendError(response, new HostError("NOT_FOUND", { subject: "resource at this URL" }));
    const [, channelId, collection, workspaceId, method, hostMethod, operation, chatPart, chatWorkspace] = parts;
    if (channelId === undefined) return this.#pending.track(this.#openChannel(request, response, door));
    const channel = this.#channels.find(channelId, door);
    // A command of another version may only control the host, for example to stop and replace it.
    if (hostMethod !== undefined) {
      return this.#pending.track(this.#controlHost(channel, hostMethod, request, response));
    }
    if (!isSameVersion(request)) {
      const client = String(request.headers[VERSION_HEADER]);
      return sendError(response, new HostError("VERSION_SKEW", { host: VERSION, client }));
    }
    if (operation !== undefined) {
      return this.#pending.track(this.#operate(channel, operation, request, response, door));
    }
    if (chatPart !== undefined) {
      const answer = chatWorkspace
        ? this.#describeWorkspace(channel, await this.#channels.openChatWorkspace(channel, chatPart))
        : this.#callChats(channel, chatPart, request, door);
      return this.#pending.track(answer.then((result) => sendJson(response, result ?? null)));
    }
    if (collection === "events") return this.#streamEvents(channel, query, request, response);
    const answer =
      workspaceId === undefined
        ? readJsonBody(request, BODY)
            .then((body) => this.#openWorkspace(channel, body, door))
            .then((opened) => sendJson(response, opened))
        : this.#invoke(channel, workspaceId, method!, request, response);
    return this.#pending.track(answer);
  }

  /** Opens a channel. The channel ends when the client closes this stream. */
  async #openChannel(request: IncomingMessage, response: ServerResponse, door: Door): Promise<void> {
    const body = await readJsonBody(request, BODY);
    const { kind, attended, watchesInbox, workspace, operationsIn, events } = isJsonObject(body) ? body : {};
    const allowedKind = door.kinds.find((candidate) => candidate === kind);
    if (!allowedKind)
      throw new HostError("FORBIDDEN", { reason: `a client can't be a caller of kind ${JSON.stringify(kind)} here` });
    const channel = this.#channels.open({
      kind: allowedKind,
      attended: attended === true,
      watchesInbox: watchesInbox === true,
      door,
    });
    // In the request of a client of another version, these fields may have another meaning, so they are ignored.
    const isKnown = isSameVersion(request);
    const opened =
      workspace !== undefined && isKnown ? await this.#openFirstWorkspace(channel, workspace, door) : undefined;
    if (operationsIn !== undefined && isKnown) await this.#bindOperations(channel, operationsIn, door);
    const stream = this.#openStream(request, response);
    if (stream.disconnected.aborted) return this.#channels.close(channel);
    stream.disconnected.addEventListener("abort", () => void this.#channels.close(channel), { once: true });
    const { version, build } = this.#controller.facts;
    stream.send({
      channel: channel.id,
      caller: channel.api.caller,
      seq: channel.seq,
      version,
      ...(build !== undefined && { build }),
      ...(opened && { opened }),
    } satisfies ChannelOpened);
    if (events === true) void sendEvents(channel, channel.seq, stream, (event) => stream.send(event));
  }

  /** Opens the workspace that the request for a channel names. Closes the channel if that fails. */
  async #openFirstWorkspace(channel: Channel, body: unknown, door: Door): Promise<WorkspaceOpened> {
    try {
      return await this.#openWorkspace(channel, body, door);
    } catch (error) {
      await this.#channels.close(channel);
      throw error;
    }
  }

  /** Sets the workspace that the operations of a channel apply to. Closes the channel if the client may not open it. */
  async #bindOperations(channel: Channel, body: unknown, door: Door): Promise<void> {
    try {
      channel.operationsIn = this.#checkSpec(channel, body, door);
    } catch (error) {
      await this.#channels.close(channel);
      throw error;
    }
  }

  async #controlHost(
    channel: Channel,
    method: string,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    if (!isHostMethodPath(method)) throw methodUnknown(method);
    const args = unpackArguments(method, await readArguments(channel, method, request));
    sendJson(response, (await callMethod({ host: this.#controller.forChannel(channel) }, method, args)) ?? null);
  }

  async #operate(
    channel: Channel,
    method: string,
    request: IncomingMessage,
    response: ServerResponse,
    { served }: Door,
  ): Promise<void> {
    if (!isOperationPath(method)) throw methodUnknown(method);
    const sent = await readArguments(channel, method, request);
    const args = unpackArguments(method, sent, { signal: requestSignal(channel, request, response) });
    const operations = await this.#operations(channel, channel.operationsIn ?? served);
    sendJson(response, (await callMethod({ operations }, method, args)) ?? null);
  }

  /** Returns the workspace that a client describes. Throws if the client may not open it. */
  #checkSpec(channel: Channel, body: unknown, door: Door): WorkspaceSpec {
    checkSpecRights(channel.api.caller, body);
    const spec = parseWorkspaceSpec(body, door.served?.cwd);
    return { ...door.served, ...spec, cwd: checkFolder(channel.api.caller, spec.cwd, door) };
  }

  async #openWorkspace(channel: Channel, body: unknown, door: Door): Promise<WorkspaceOpened> {
    const opened = await this.#channels.openWorkspace(channel, this.#checkSpec(channel, body, door));
    return this.#describeWorkspace(channel, opened);
  }

  async #describeWorkspace(channel: Channel, workspace: string): Promise<WorkspaceOpened> {
    const { open } = this.#channels.findWorkspace(channel, workspace);
    return { workspace, problems: open.problems(), variables: open.variables() };
  }

  /**
   * Calls a method of `chats`. If the door serves a workspace, checks that the client may use the folder of the chat.
   */
  async #callChats(channel: Channel, method: string, request: IncomingMessage, door: Door): Promise<unknown> {
    if (!isChatMethodPath(method)) throw methodUnknown(method);
    const sent = await readArguments(channel, method, request);
    const { chats, caller } = channel.api;
    const { served } = door;
    if (method === "chats.create") {
      const spec = parseChatSpec(sent[0], served?.cwd);
      return chats.create({ ...served, ...spec, cwd: checkFolder(caller, spec.cwd, door) });
    }
    const args = unpackArguments(method, sent);
    if (!served) return callMethod({ chats }, method, args);
    const [first] = args;
    if (method === "chats.list" || method === "chats.models") {
      const filter = { cwd: served.cwd, ...(first as { readonly cwd?: string }) };
      return callMethod({ chats }, method, [{ ...filter, cwd: checkFolder(caller, filter.cwd, door) }]);
    }
    await checkChatFolder(chats, first, served.cwd);
    return callMethod({ chats }, method, args);
  }

  /** Calls a method of a workspace. If the method reports progress, the response is a stream of events. */
  async #invoke(
    channel: Channel,
    workspaceId: string,
    method: string,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const { bound } = this.#channels.findWorkspace(channel, workspaceId);
    if (!isWorkspaceMethodPath(method)) throw methodUnknown(method);
    const sent = await readArguments(channel, method, request);
    const signal = requestSignal(channel, request, response);
    const args = unpackArguments(method, sent, { signal, onProgress: (progress) => stream?.send({ progress }) });
    // The stream begins after the checks, so that invalid arguments get an HTTP error.
    const stream = WORKSPACE_METHODS[method].progress && new EventStream(request, response);
    const result = callMethod(bound, method, args);
    if (!stream) return sendJson(response, (await result) ?? null);
    stream.send(
      await this.#pending.track(result).then(
        (value): CallEvent => ({ result: value, seq: sentToAll(channel) }),
        (thrown: unknown): CallEvent => ({ error: toHostError(thrown).toJSON(), seq: sentToAll(channel) }),
      ),
    );
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
    await sendEvents(channel, after === undefined ? undefined : Number(after), stream, (event) => stream.send(event));
  }

  /**
   * Sends the snapshot of a workspace, then the events. The client does not learn the channel's id, so it can only
   * read.
   */
  async #streamFeed(query: string, request: IncomingMessage, response: ServerResponse, door: Door): Promise<void> {
    const { cwd } = parseWorkspaceSpec(Object.fromEntries(new URLSearchParams(query)), door.served?.cwd);
    const channel = this.#channels.open({ kind: door.kinds[0]!, door });
    let snapshot: Snapshot;
    try {
      const folder = checkFolder(channel.api.caller, cwd, door);
      const id = await this.#channels.openWorkspace(channel, { ...door.served, cwd: folder });
      snapshot = await this.#channels.findWorkspace(channel, id).bound.snapshot();
    } catch (error) {
      await this.#channels.close(channel);
      throw error;
    }
    const stream = this.#openStream(request, response);
    stream.sendNamed("snapshot", snapshot);
    const following = sendEvents(channel, snapshot.seq, stream, (event) => stream.sendNamed(event.type, event));
    void following.finally(() => void this.#channels.close(channel));
  }

  #openStream(request: IncomingMessage, response: ServerResponse): EventStream {
    const stream = new EventStream(request, response);
    if (response.destroyed) return stream;
    this.#streams.add(stream);
    response.once("close", () => this.#streams.delete(stream));
    return stream;
  }
}

/** Sends events until the client disconnects or the host closes. Then ends the stream. Never rejects. */
async function sendEvents(
  { api, sent, seq }: Channel,
  after: number | undefined,
  stream: EventStream,
  send: (event: HostEvent) => void,
): Promise<void> {
  const position: SentEvents = { seq: after ?? seq };
  sent.add(position);
  try {
    for await (const event of api.events(after, stream.disconnected)) {
      send(event);
      position.seq = event.seq;
    }
    stream.end();
  } catch (thrown) {
    stream.fail(toHostError(thrown));
  } finally {
    sent.delete(position);
  }
}

/** A client that is not part of Plugboard sends no version. It relies on the API's version in the path. */
function isSameVersion({ headers }: IncomingMessage): boolean {
  return headers[VERSION_HEADER] === undefined || headers[VERSION_HEADER] === VERSION;
}

/** Reads the arguments of a method. Checks the rights of the client before the arguments. */
async function readArguments(
  { api }: Channel,
  method: MethodPath,
  request: IncomingMessage,
): Promise<readonly unknown[]> {
  const sent: unknown = await readJsonBody(request, BODY);
  const args: readonly unknown[] = Array.isArray(sent) ? sent : [];
  requireMethodRights(api.caller, method, args);
  if (!Array.isArray(sent)) throw new HostError("USAGE", { message: "the arguments must be a list" });
  return args;
}

function methodUnknown(method: string): HostError {
  return new HostError("NOT_FOUND", { subject: `method ${method}` });
}

/** A client that is bound to a folder can use only the chats of that folder. */
async function checkChatFolder(chats: Chats, chat: unknown, folder: string): Promise<void> {
  const listed = await chats.list({ cwd: folder });
  if (!listed.some(({ id }) => id === chat)) throw new HostError("NOT_FOUND", { subject: "chat with this id" });
}
