/** MCP over a WebSocket: one JSON message per frame, subprotocol `mcp`. */
import { HostError } from "@plugboard/contracts";
import type { WebSocket } from "ws";
import type { Message } from "../../wire/message.ts";
import type { Transport, TransportEvents } from "../../wire/transport.ts";
import { serializeMessage } from "../../wire/message.ts";
import { ReadThrottle, SharedPause, UnreadResponses } from "../messages/backpressure.ts";
import { NOISE, parseLine } from "../messages/parse-message.ts";
import { upgradeToWebSocket } from "./websocket-upgrade.ts";
import type { UpgradeOptions } from "./websocket-upgrade.ts";

export interface WebSocketTransportOptions extends UpgradeOptions {
  /** The interval between pings, and the time that the server has to answer one. */
  readonly keepAliveMs?: number;
}

const KEEP_ALIVE_MS = 30_000;
const CLOSE_TIMEOUT_MS = 2000;
const NORMAL_CLOSURE = 1000;
/** The number of bytes that may wait for a server that does not read. */
const MAX_UNREAD_BYTES = 64 * 1024 * 1024;
/** The number of pongs that may wait for a server that does not read. */
const MAX_PENDING_PONGS = 100;

/** Resolves when the connection is open. */
export function openWebSocket(options: WebSocketTransportOptions): Promise<WebSocketTransport> {
  return upgradeToWebSocket(options, (socket) => new WebSocketTransport(options, socket));
}

export class WebSocketTransport implements Transport {
  readonly multiplexed = true;

  readonly #options: WebSocketTransportOptions;
  readonly #socket: WebSocket;
  readonly #unreadResponses: UnreadResponses;
  readonly #throttle: ReadThrottle;
  #events: TransportEvents | undefined;
  #closed = false;
  #failure: HostError | undefined;
  /** False from a ping until the server sends something. */
  #alive = true;
  /** Pongs that have not been written yet. */
  #pendingPongs = 0;
  #stopKeepAlive: (() => void) | undefined;

  constructor(options: WebSocketTransportOptions, socket: WebSocket) {
    this.#options = options;
    this.#socket = socket;
    const sharedPause = new SharedPause(socket);
    this.#unreadResponses = new UnreadResponses(sharedPause.createHandle());
    this.#throttle = new ReadThrottle(sharedPause.createHandle(), options.clock);
    // Messages are not read before `start`.
    socket.pause();
    socket.on("message", (data: Buffer) => this.#read(data));
    socket.on("ping", (data) => this.#answerPing(data));
    socket.on("pong", () => (this.#alive = true));
    socket.on("error", (error) => (this.#failure ??= this.#toHostError(error)));
    socket.once("close", (code, reason) => this.#closeWith((this.#failure ??= this.#closedByPeer(code, reason))));
  }

  start(events: TransportEvents): void {
    this.#events = events;
    // The connection may have closed before `start`.
    if (this.#closed) return queueMicrotask(() => events.closed(this.#failure!));
    this.#socket.resume();
    this.#keepAlive();
  }

  /** Resolves when the message has been written, which takes longer if the server reads slowly. */
  send(message: Message): Promise<void> {
    if (this.#closed) return Promise.resolve();
    try {
      const text = serializeMessage(message);
      this.#assertCapacity(text.length);
      const written = new Promise<void>((resolve, reject) => {
        this.#socket.send(text, (error) => (error ? reject(this.#connectionLost(error.message)) : resolve()));
      });
      if (!("method" in message)) void this.#unreadResponses.add(text.length, written);
      return written;
    } catch (error) {
      return Promise.reject(error);
    }
  }

  closeRequestStream(): void {}

  /** Sends a close frame and terminates the connection after a timeout. */
  async close(): Promise<void> {
    const { clock } = this.#options;
    const socket = this.#socket;
    this.#closed = true;
    this.#stopKeepAlive?.();
    this.#throttle.stop();
    if (socket.readyState === socket.CLOSED) return;
    const closed = new Promise((resolve) => socket.once("close", resolve));
    const stopTimer = clock.after(CLOSE_TIMEOUT_MS, () => socket.terminate());
    socket.resume();
    socket.close(NORMAL_CLOSURE);
    await closed;
    stopTimer();
  }

  #assertCapacity(length: number): void {
    const { server } = this.#options;
    const { readyState, OPEN, bufferedAmount } = this.#socket;
    if (readyState !== OPEN) throw this.#connectionLost("it is being closed");
    if (bufferedAmount > 0 && bufferedAmount + length > MAX_UNREAD_BYTES) {
      throw new HostError("SERVER_NOT_READING", { server });
    }
  }

  #read(data: Buffer): void {
    this.#alive = true;
    this.#throttle.beforeMessage();
    if (!this.#closed) this.#events?.message(parseLine(data) ?? NOISE);
  }

  #answerPing(data: Buffer): void {
    this.#alive = true;
    if (this.#pendingPongs >= MAX_PENDING_PONGS) return;
    this.#pendingPongs += 1;
    this.#socket.pong(data, undefined, () => (this.#pendingPongs -= 1));
  }

  /**
   * Detects a dead connection by a missing pong. A paused connection is not checked, because its pongs are not read.
   */
  #keepAlive(): void {
    const { clock, keepAliveMs = KEEP_ALIVE_MS } = this.#options;
    this.#stopKeepAlive = clock.after(keepAliveMs, () => {
      if (!this.#alive && !this.#unreadResponses.paused) {
        this.#failure ??= this.#connectionLost(`it did not answer a ping in ${keepAliveMs} ms`);
        return this.#socket.terminate();
      }
      this.#alive = false;
      this.#socket.ping();
      this.#keepAlive();
    });
  }

  #toHostError(error: Error): HostError {
    const { server, maxMessageBytes: limitBytes } = this.#options;
    const { code } = error as NodeJS.ErrnoException;
    if (code === "WS_ERR_UNSUPPORTED_MESSAGE_LENGTH") return new HostError("MESSAGE_TOO_LARGE", { server, limitBytes });
    return this.#connectionLost(error.message, error);
  }

  #closedByPeer(code: number, reason: Buffer): HostError {
    const quoted = reason.length > 0 ? `, “${reason.toString("utf8")}”` : "";
    return this.#connectionLost(`it closed the connection (${code}${quoted})`);
  }

  #connectionLost(reason: string, cause?: Error): HostError {
    return new HostError("CONNECTION_LOST", { server: this.#options.server, reason }, { cause });
  }

  #closeWith(error: HostError): void {
    this.#stopKeepAlive?.();
    this.#throttle.stop();
    if (this.#closed) return;
    this.#closed = true;
    this.#events?.closed(error);
  }
}
