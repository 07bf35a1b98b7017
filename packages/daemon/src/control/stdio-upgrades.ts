/**
 * Connects the MCP clients that start `plugboard stdio`. The command upgrades a request on the socket to a byte stream,
 * which carries the client's standard input and output.
 */
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import {
  CONTROL_API_PATH,
  HostError,
  STDIO_UPGRADE_PROTOCOL,
  HOST_CHAIN_HEADER,
  toHostError,
} from "@plugboard/contracts";
import type { ConnectedClient } from "@plugboard/contracts";
import type { Gateway } from "@plugboard/gateway";
import type { OpenWorkspace } from "@plugboard/host/workspace";
import type { Channels } from "./channels.ts";
import type { Door } from "./door.ts";

/** The groups: channel, workspace, profile. */
const PATH = new RegExp(`^${CONTROL_API_PATH}/channels/([\\w-]+)/workspaces/([\\w-]+)/stdio(?:\\?profile=([^&]+))?$`);

type MakeGateway = (workspace: OpenWorkspace, profile?: string) => Gateway;

export class StdioUpgrades {
  readonly #channels: Channels;
  readonly #door: Door;
  readonly #makeGateway: MakeGateway;
  readonly #gateways = new Map<Duplex, Gateway>();
  #closed = false;

  constructor(channels: Channels, door: Door, makeGateway: MakeGateway) {
    this.#channels = channels;
    this.#door = door;
    this.#makeGateway = makeGateway;
  }

  /**
   * Serves a client on the stream of its upgrade request until the stream ends. `head` are the bytes after the request.
   */
  async handle(request: IncomingMessage, stream: Duplex, head: Buffer): Promise<void> {
    if (head.length > 0) stream.unshift(head);
    // A client that disconnects also ends the stream, so its errors need no handling.
    stream.on("error", () => {});
    if (this.#closed) return rejectUpgrade(stream, "503 Service Unavailable");
    const { url, headers } = request;
    const parts = PATH.exec(url!);
    if (!parts || headers.upgrade !== STDIO_UPGRADE_PROTOCOL || headers.origin !== undefined) {
      return rejectUpgrade(stream, "404 Not Found");
    }
    const [, channelId = "", workspaceId = "", profile] = parts;
    let gateway: Gateway;
    let callerId: string;
    let workspace: OpenWorkspace;
    try {
      const channel = this.#channels.find(channelId, this.#door);
      workspace = this.#channels.findWorkspace(channel, workspaceId).open;
      if (profile !== undefined && !workspace.profile(profile)) {
        throw new HostError("NOT_FOUND", { subject: `profile ${JSON.stringify(profile)}` });
      }
      gateway = this.#makeGateway(workspace, profile);
      callerId = channel.api.caller.id;
    } catch (thrown) {
      return rejectUpgrade(stream, "404 Not Found", toHostError(thrown));
    }
    stream.write(
      `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${STDIO_UPGRADE_PROTOCOL}\r\n\r\n`,
    );
    this.#gateways.set(stream, gateway);
    // A server that fails to start has no tools in the list; `plugboard status` shows its error.
    void workspace.start().catch(() => {});
    const hostChain = String(headers[HOST_CHAIN_HEADER] ?? "").split(",");
    await gateway.serve(stream, { kind: "front", id: callerId }, hostChain);
    this.#gateways.delete(stream);
    stream.destroy();
    gateway.close();
  }

  /** The number of connected clients. */
  get size(): number {
    return this.#gateways.size;
  }

  get fronts(): readonly ConnectedClient[] {
    return [...this.#gateways.values()].flatMap((gateway) => gateway.fronts);
  }

  /** True while a client waits for an answer. */
  get busy(): boolean {
    return [...this.#gateways.values()].some((gateway) => gateway.busy);
  }

  stopAccepting(): void {
    this.#closed = true;
  }

  /** Answers pending requests with HOST_CLOSED and ends the streams. */
  close(): void {
    for (const gateway of this.#gateways.values()) gateway.close();
  }

  /** Resolves when the clients have read the last answers and closed their streams. */
  async finished(): Promise<void> {
    await Promise.all(
      [...this.#gateways.keys()].map((stream) => new Promise((resolve) => stream.once("close", resolve))),
    );
  }

  /** Destroys streams that clients keep open after their end. */
  async disconnect(): Promise<void> {
    for (const stream of this.#gateways.keys()) stream.destroy();
  }
}

function rejectUpgrade(stream: Duplex, status: string, error?: HostError): void {
  const body = error ? JSON.stringify({ error: error.toJSON() }) : "";
  stream.end(`HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n${body}`, () => stream.destroy());
}
