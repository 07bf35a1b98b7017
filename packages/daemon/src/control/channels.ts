/**
 * The clients of the running host. A channel is one client with its caller and the workspaces it has opened.
 * The workspaces are released when the channel ends.
 */
import { randomUUID } from "node:crypto";
import { setMaxListeners } from "node:events";
import { HostError } from "@plugboard/contracts";
import type { CallerKind, CallerOptions, HostApi, Workspace, WorkspaceSpec } from "@plugboard/contracts";
import { wantsNativeTools } from "@plugboard/host/core";
import type { Host } from "@plugboard/host/core";
import type { OpenWorkspace } from "@plugboard/host/workspace";
import type { Door } from "./door.ts";

export interface Channel {
  readonly id: string;
  readonly api: HostApi;
  /** The way by which the client came. Requests through another door can't use the channel. */
  readonly door: Door;
  readonly workspaces: Map<string, ChannelWorkspace>;
  /** The sequence number of the host's latest event when the channel was opened. */
  readonly seq: number;
  /** How far the host has sent the events on each open event stream of the client. */
  readonly sent: Set<SentEvents>;
  /** Aborted when the channel ends. */
  readonly closed: AbortSignal;
  /** The workspace that operations apply to. If undefined, the one that the host serves. */
  operationsIn?: WorkspaceSpec | undefined;
}

export interface SentEvents {
  /** The sequence number of the last event that was sent, or after which the stream began. */
  seq: number;
}

/** Returns the sequence number up to which all event streams were sent. Returns undefined without a stream. */
export function sentToAll({ sent }: Channel): number | undefined {
  let seq: number | undefined;
  for (const stream of sent) if (seq === undefined || stream.seq < seq) seq = stream.seq;
  return seq;
}

export interface ChannelWorkspace {
  readonly open: OpenWorkspace;
  /** The methods of the workspace for the channel's caller. */
  readonly bound: Workspace;
}

export class Channels {
  readonly #host: Host;
  readonly #channels = new Map<string, Channel>();
  readonly #endings = new WeakMap<Channel, AbortController>();
  #opened = false;

  constructor(host: Host) {
    this.#host = host;
  }

  get size(): number {
    return this.#channels.size;
  }

  /** Returns true if a channel is open, or was opened since the last call. A host that is not used may stop. */
  takeUsed(): boolean {
    const isUsed = this.#opened || this.size > 0;
    this.#opened = false;
    return isUsed;
  }

  open({ kind, door, ...callerOptions }: CallerOptions & { readonly kind: CallerKind; readonly door: Door }): Channel {
    const ending = new AbortController();
    // Every pending request listens to this signal, so Node must not warn about many listeners.
    setMaxListeners(0, ending.signal);
    const channel: Channel = {
      id: randomUUID(),
      door,
      api: this.#host.as(kind, callerOptions),
      workspaces: new Map(),
      seq: this.#host.events.seq,
      sent: new Set(),
      closed: ending.signal,
    };
    this.#endings.set(channel, ending);
    this.#channels.set(channel.id, channel);
    this.#opened = true;
    return channel;
  }

  /** Throws NOT_FOUND if the channel does not exist or was opened through another door. */
  find(id: string, door: Door): Channel {
    const channel = this.#channels.get(id);
    if (channel?.door !== door) throw new HostError("NOT_FOUND", { subject: "channel with this id" });
    return channel;
  }

  async openWorkspace(channel: Channel, spec: WorkspaceSpec): Promise<string> {
    const { caller } = channel.api;
    const nativeTools = wantsNativeTools(caller, spec);
    // The page opens the last valid config if the current one is broken, so that it shows the servers that still run,
    // and their questions.
    const { lastValid = caller.kind === "page", ...opened } = spec;
    const open = await this.#host.open(opened, { nativeTools, lastValid });
    const id = randomUUID();
    const release = async () => {
      channel.workspaces.delete(id);
      await this.#host.release(open);
    };
    const bound = { ...this.#host.bind(open, caller), release };
    channel.workspaces.set(id, { open, bound });
    // The client may have disconnected while its config was read.
    if (!this.#channels.has(channel.id)) await bound.release();
    return id;
  }

  /** Opens the workspace of a chat that the client watches. The chat owns it, so it outlives the channel. */
  async openChatWorkspace(channel: Channel, chat: string): Promise<string> {
    const { caller } = channel.api;
    const open = await this.#host.chatWorkspace(chat, caller);
    const id = randomUUID();
    const release = async () => void channel.workspaces.delete(id);
    channel.workspaces.set(id, { open, bound: { ...this.#host.bind(open, caller), release } });
    return id;
  }

  findWorkspace(channel: Channel, id: string): ChannelWorkspace {
    const workspace = channel.workspaces.get(id);
    if (!workspace) throw new HostError("NOT_FOUND", { subject: "workspace with this id" });
    return workspace;
  }

  /** Cancels the pending requests of the client before its workspaces are released. */
  async close(channel: Channel): Promise<void> {
    this.#channels.delete(channel.id);
    this.#endings.get(channel)?.abort();
    await channel.api.close();
    await Promise.all([...channel.workspaces.values()].map(({ bound }) => bound.release()));
  }
}
