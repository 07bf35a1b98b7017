/** Serves `HostApi` to other processes over HTTP. Each request is a method call of the channel's caller. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { resolve } from "node:path";
import {
  HostError,
  VERSION_HEADER,
  WORKSPACE_METHODS,
  callChatMethod,
  callHostMethod,
  callManagementMethod,
  callWorkspaceMethod,
  controlPaths,
  isChatMethodPath,
  isHostMethodPath,
  isJsonObject,
  isManagementMethodPath,
  isWorkspaceMethodPath,
  toHostError,
  unpackArguments,
} from "@plugboard/contracts";
import type {
  CallerKind,
  ChannelOpened,
  Chats,
  HostErrorJson,
  HostEvent,
  Management,
  ResumeOptions,
  Snapshot,
  WorkspaceMethodPath,
  WorkspaceOpened,
  WorkspaceSpec,
} from "@plugboard/contracts";
import { PipelineLimiter } from "@plugboard/gateway";
import { VERSION } from "@plugboard/host";
import type { Channel, Channels } from "./channels.ts";
import type { HostController } from "../lifecycle/host-controller.ts";
import { EventStream } from "./event-stream.ts";
import { readJsonBody } from "./read-json-body.ts";
import { parseChatSpec } from "./parse-chat-spec.ts";
import { parseWorkspaceSpec } from "./parse-workspace-spec.ts";
import { sendError, sendJson } from "../http/send-json.ts";
import { PendingRequests } from "./pending-requests.ts";
import { requestSignal } from "./request-signal.ts";

export interface ControlPolicy {
  /** The caller kinds that clients of this listener may choose. */
  readonly kinds: readonly CallerKind[];
  /** True if a client may add servers of its own, which makes the host run commands that the client chose. */
  readonly mayAddServers: boolean;
  /** True if a client may trust a project's servers. */
  readonly mayTrust: boolean;
  /** True if a client may use `HostControl`: open and close the port, and stop the host. */
  readonly mayControlHost: boolean;
  /** True if a client may use `Management`. */
  readonly mayManage: boolean;
  /** The only workspace that may be opened, in its folder. By default any workspace. */
  readonly served?: WorkspaceSpec;
}

const PATH = new RegExp(
  `^${controlPaths.channels}(?:/([\\w-]+)/(?:(events|workspaces)(?:/([\\w-]+)/([\\w.]+))?|host/([\\w.]+)|manage/([\\w.]+)|chats/([\\w.-]+)(/workspace)?))?$`,
);

/** Returns the management of the served workspace for one client. */
type ManagementOf = (channel: Channel, served: WorkspaceSpec | undefined) => Promise<Management>;

export class ControlApi {
  readonly #channels: Channels;
  readonly #controller: HostController;
  readonly #management: ManagementOf;
  readonly #pipelineLimiter = new PipelineLimiter();
  readonly #pending = new PendingRequests();
  /** Streams that stay open as long as their clients read. */
  readonly #streams = new Set<EventStream>();

  constructor(channels: Channels, controller: HostController, management: ManagementOf) {
    this.#channels = channels;
    this.#controller = controller;
    this.#management = management;
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
    if (!parts) return sendError(response, new HostError("NOT_FOUND", { subject: "resource at this URL" }));
    const [, channelId, collection, workspaceId, method, hostMethod, manageMethod, chatPart, chatWorkspace] = parts;
    if (channelId === undefined) return this.#pending.track(this.#openChannel(request, response, policy));
    // Each listener has its own policy object, which identifies it.
    const channel = this.#channels.find(channelId, policy);
    // A command of another version can't do more than control the host, in order to replace it.
    if (hostMethod !== undefined) {
      return this.#pending.track(this.#controlHost(channel, hostMethod, request, response, policy));
    }
    if (!isSameVersion(request)) {
      const client = String(request.headers[VERSION_HEADER]);
      return sendError(response, new HostError("VERSION_SKEW", { host: VERSION, client }));
    }
    if (manageMethod !== undefined) {
      return this.#pending.track(this.#manage(channel, manageMethod, request, response, policy));
    }
    if (chatPart !== undefined) {
      const answer = chatWorkspace
        ? this.#describeWorkspace(channel, await this.#channels.openChatWorkspace(channel, chatPart))
        : this.#callChats(channel, chatPart, request, policy);
      return this.#pending.track(answer.then((result) => sendJson(response, result ?? null)));
    }
    if (collection === "events") return this.#streamEvents(channel, query, request, response);
    const answer =
      workspaceId === undefined
        ? readJsonBody(request)
            .then((body) => this.#openWorkspace(channel, body, policy))
            .then((opened) => sendJson(response, opened))
        : this.#invoke(channel, workspaceId, method!, request, response, policy);
    return this.#pending.track(answer);
  }

  /** Opens a channel. The channel ends when the client closes this stream. */
  async #openChannel(request: IncomingMessage, response: ServerResponse, policy: ControlPolicy): Promise<void> {
    const body = await readJsonBody(request);
    const { kind, attended, watchesInbox, workspace, events } = isJsonObject(body) ? body : {};
    const allowedKind = policy.kinds.find((candidate) => candidate === kind);
    if (!allowedKind)
      throw new HostError("FORBIDDEN", { reason: `a client can't be a caller of kind ${JSON.stringify(kind)} here` });
    const channel = this.#channels.open({
      kind: allowedKind,
      attended: attended === true,
      watchesInbox: watchesInbox === true,
      listener: policy,
    });
    // A client of another version may mean something else.
    const opensWorkspace = workspace !== undefined && isSameVersion(request);
    const opened = opensWorkspace ? await this.#openFirstWorkspace(channel, workspace, policy) : undefined;
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

  async #openFirstWorkspace(channel: Channel, body: unknown, policy: ControlPolicy): Promise<WorkspaceOpened> {
    try {
      return await this.#openWorkspace(channel, body, policy);
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
    { mayControlHost }: ControlPolicy,
  ): Promise<void> {
    if (!mayControlHost)
      throw new HostError("FORBIDDEN", { reason: "only a client of the socket can control the host" });
    if (!isHostMethodPath(method)) throw new HostError("NOT_FOUND", { subject: `method ${method}` });
    const args = unpackArguments(method, await readArguments(request));
    sendJson(response, (await callHostMethod(this.#controller.forChannel(channel), method, args)) ?? null);
  }

  async #manage(
    channel: Channel,
    method: string,
    request: IncomingMessage,
    response: ServerResponse,
    { mayManage, served }: ControlPolicy,
  ): Promise<void> {
    // Only the user may decide what a conversation can use.
    if (!mayManage || channel.api.caller.kind === "chat")
      throw new HostError("FORBIDDEN", { reason: "only the user can manage the host, on the page or over the socket" });
    if (!isManagementMethodPath(method)) throw new HostError("NOT_FOUND", { subject: `method ${method}` });
    const sent = await readArguments(request);
    const args = unpackArguments(method, sent, { signal: requestSignal(channel, request, response) });
    const management = await this.#management(channel, served);
    sendJson(response, (await callManagementMethod(management, method, args)) ?? null);
  }

  async #openWorkspace(channel: Channel, body: unknown, policy: ControlPolicy): Promise<WorkspaceOpened> {
    const spec = parseWorkspaceSpec(body, policy.served?.cwd);
    checkSpec(spec, policy);
    const opened = await this.#channels.openWorkspace(channel, { ...policy.served, ...spec });
    return this.#describeWorkspace(channel, opened);
  }

  async #describeWorkspace(channel: Channel, workspace: string): Promise<WorkspaceOpened> {
    const { open } = this.#channels.findWorkspace(channel, workspace);
    return { workspace, problems: open.problems(), variables: open.variables() };
  }

  async #callChats(
    channel: Channel,
    method: string,
    request: IncomingMessage,
    policy: ControlPolicy,
  ): Promise<unknown> {
    if (!isChatMethodPath(method)) throw new HostError("NOT_FOUND", { subject: `method ${method}` });
    const sent = await readArguments(request);
    const { chats } = channel.api;
    if (method === "chats.create") {
      const spec = parseChatSpec(sent[0], policy.served?.cwd);
      checkSpec(spec, policy);
      return chats.create({ ...policy.served, ...spec });
    }
    const args = unpackArguments(method, sent);
    const [id, options] = args;
    if (method === "chats.resume") checkAdditions(options as ResumeOptions, policy);
    const folder = policy.served?.cwd;
    if (folder === undefined) return callChatMethod(chats, method, args);
    if (method === "chats.list" || method === "chats.models") {
      const filter = { cwd: folder, ...(id as { readonly cwd?: string }) };
      checkFolder(filter.cwd, folder);
      return callChatMethod(chats, method, [filter]);
    }
    await checkChatFolder(chats, id, folder);
    return callChatMethod(chats, method, args);
  }

  async #invoke(
    channel: Channel,
    workspaceId: string,
    method: string,
    request: IncomingMessage,
    response: ServerResponse,
    policy: ControlPolicy,
  ): Promise<void> {
    const { bound } = this.#channels.findWorkspace(channel, workspaceId);
    if (!isWorkspaceMethodPath(method)) throw new HostError("NOT_FOUND", { subject: `method ${method}` });
    const sent = await readArguments(request);
    const signal = requestSignal(channel, request, response);
    if ((!policy.mayAddServers && addsServers(method, sent)) || (!policy.mayTrust && trustsServer(method, sent))) {
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
    await sendEvents(channel, after === undefined ? undefined : Number(after), stream, (event) => stream.send(event));
  }

  /** Sends the snapshot of a workspace, then the events. The caller can't use the workspace otherwise. */
  async #streamFeed(
    query: string,
    request: IncomingMessage,
    response: ServerResponse,
    policy: ControlPolicy,
  ): Promise<void> {
    const { cwd } = parseWorkspaceSpec(Object.fromEntries(new URLSearchParams(query)), policy.served?.cwd);
    checkFolder(cwd, policy.served?.cwd);
    const channel = this.#channels.open({ kind: policy.kinds[0]!, listener: policy });
    let snapshot: Snapshot;
    try {
      const id = await this.#channels.openWorkspace(channel, { ...policy.served, cwd });
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
  { api }: Channel,
  after: number | undefined,
  stream: EventStream,
  send: (event: HostEvent) => void,
): Promise<void> {
  try {
    for await (const event of api.events(after, stream.disconnected)) send(event);
    stream.end();
  } catch (thrown) {
    stream.fail(toHostError(thrown));
  }
}

/** A client that is not part of Plugboard sends no version. It relies on the one in the path. */
function isSameVersion({ headers }: IncomingMessage): boolean {
  return headers[VERSION_HEADER] === undefined || headers[VERSION_HEADER] === VERSION;
}

async function readArguments(request: IncomingMessage): Promise<readonly unknown[]> {
  const sent = await readJsonBody(request);
  if (!Array.isArray(sent)) throw new HostError("USAGE", { message: "the arguments must be a list" });
  return sent;
}

/** Checks that a client of this listener may open the workspace. */
function checkSpec(spec: WorkspaceSpec, policy: ControlPolicy): void {
  checkFolder(spec.cwd, policy.served?.cwd);
  checkAdditions(spec, policy);
}

function checkAdditions(
  { servers, configFiles, permissions, env }: Partial<WorkspaceSpec>,
  { mayAddServers }: ControlPolicy,
): void {
  if (mayAddServers || ![servers, configFiles, permissions, env].some(isPresent)) return;
  throw new HostError("FORBIDDEN", { reason: "only a client of the socket can add servers, rules or an environment" });
}

/** A client that is bound to a folder can use only the chats of that folder. */
async function checkChatFolder(chats: Chats, chat: unknown, folder: string): Promise<void> {
  const listed = await chats.list({ cwd: folder });
  if (!listed.some(({ id }) => id === chat)) throw new HostError("NOT_FOUND", { subject: "chat with this id" });
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

/** Returns true if a call adds a server definition. Accepts unchecked arguments. */
function addsServers(path: WorkspaceMethodPath, args: readonly unknown[]): boolean {
  const second = args[1];
  if (path === "servers.connect") return isJsonObject(second) && isPresent(second["definition"]);
  return path === "servers.set";
}

/** Returns true if a call trusts a project's server. Accepts unchecked arguments. */
function trustsServer(path: WorkspaceMethodPath, args: readonly unknown[]): boolean {
  const answer = args[1];
  if (path === "inbox.answer") return isJsonObject(answer) && answer["type"] === "trust";
  return path === "config.trust";
}
