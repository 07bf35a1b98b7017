/** MCP over a WebSocket: one JSON message a frame, subprotocol `mcp`. */
import { HostError } from "@plugboard/contracts";
import type { WebSocket } from "ws";
import type { Malformed, Message } from "../wire/message.ts";
import type { Transport, TransportEvents } from "../wire/transport.ts";
import { writeMessage } from "../wire/write-message.ts";
import { FairShare } from "./fair-share.ts";
import { parseLine } from "./parse-message.ts";
import { ReadHolds } from "./read-holds.ts";
import { UnreadAnswers } from "./unread-answers.ts";
import { upgrade } from "./websocket-upgrade.ts";
import type { UpgradeOptions } from "./websocket-upgrade.ts";

export interface WebSocketOptions extends UpgradeOptions {
  /** How often the server is pinged; it has as long to answer. */
  readonly keepAliveMs?: number;
}

const KEEP_ALIVE_MS = 30_000;
const GOODBYE_MS = 2000;
const NORMAL = 1000;
/** What may wait for a server that does not read. */
const MAX_UNREAD_BYTES = 64 * 1024 * 1024;
/** The same, of answers to its pings: who sends more of them wants no answer. */
const MAX_PONGS = 100;

const NOISE: Malformed = { type: "malformed", why: "not a message", like: "noise" };

/** Resolves once it is open. */
export function openWebSocket(options: WebSocketOptions): Promise<WebSocketTransport> {
  return upgrade(options, (socket) => new WebSocketTransport(options, socket));
}

export class WebSocketTransport implements Transport {
  readonly shared = true;

  readonly #options: WebSocketOptions;
  readonly #socket: WebSocket;
  readonly #answers: UnreadAnswers;
  readonly #share: FairShare;
  #events: TransportEvents | undefined;
  #closed = false;
  #failure: HostError | undefined;
  #heard = true;
  /** Answers to its pings that it has not taken yet. */
  #pongs = 0;
  #stopKeepAlive: (() => void) | undefined;

  constructor(options: WebSocketOptions, socket: WebSocket) {
    this.#options = options;
    this.#socket = socket;
    const holds = new ReadHolds(socket);
    this.#answers = new UnreadAnswers(holds.party());
    this.#share = new FairShare(holds.party(), options.clock);
    // Nothing is lost that comes before anybody listens.
    socket.pause();
    socket.on("message", (data: Buffer) => this.#read(data));
    socket.on("ping", (data) => this.#pong(data));
    socket.on("pong", () => (this.#heard = true));
    socket.on("error", (error) => (this.#failure ??= this.#describe(error)));
    socket.once("close", (code, reason) => this.#end((this.#failure ??= this.#left(code, reason))));
  }

  start(events: TransportEvents): void {
    this.#events = events;
    // It may have ended before anybody listened.
    if (this.#closed) return queueMicrotask(() => events.closed(this.#failure!));
    this.#socket.resume();
    this.#keepAlive();
  }

  /** Waits for a server that is slow to read. */
  send(message: Message): Promise<void> {
    if (this.#closed) return Promise.resolve();
    try {
      const text = writeMessage(message);
      this.#checkRoom(text.length);
      const taken = new Promise<void>((resolve, reject) => {
        this.#socket.send(text, (error) => (error ? reject(this.#lost(error.message)) : resolve()));
      });
      if (!("method" in message)) void this.#answers.add(text.length, taken);
      return taken;
    } catch (error) {
      return Promise.reject(error);
    }
  }

  drop(): void {}

  /** Politely, but not for long. */
  async close(): Promise<void> {
    const { clock } = this.#options;
    const socket = this.#socket;
    this.#closed = true;
    this.#stopKeepAlive?.();
    this.#share.stop();
    if (socket.readyState === socket.CLOSED) return;
    const gone = new Promise((resolve) => socket.once("close", resolve));
    const stopTimer = clock.after(GOODBYE_MS, () => socket.terminate());
    socket.resume();
    socket.close(NORMAL);
    await gone;
    stopTimer();
  }

  #checkRoom(length: number): void {
    const { server } = this.#options;
    const { readyState, OPEN, bufferedAmount } = this.#socket;
    if (readyState !== OPEN) throw this.#lost("it is being closed");
    if (bufferedAmount > 0 && bufferedAmount + length > MAX_UNREAD_BYTES) {
      throw new HostError("SERVER_NOT_READING", { server });
    }
  }

  #read(data: Buffer): void {
    this.#heard = true;
    this.#share.message();
    if (!this.#closed) this.#events?.message(parseLine(data) ?? NOISE);
  }

  #pong(data: Buffer): void {
    this.#heard = true;
    if (this.#pongs >= MAX_PONGS) return;
    this.#pongs += 1;
    this.#socket.pong(data, undefined, () => (this.#pongs -= 1));
  }

  /** A peer that is gone without a word is noticed by its silence. One that we do not read can't be heard. */
  #keepAlive(): void {
    const { clock, keepAliveMs = KEEP_ALIVE_MS } = this.#options;
    this.#stopKeepAlive = clock.after(keepAliveMs, () => {
      if (!this.#heard && !this.#answers.held) {
        this.#failure ??= this.#lost(`it did not answer a ping in ${keepAliveMs} ms`);
        return this.#socket.terminate();
      }
      this.#heard = false;
      this.#socket.ping();
      this.#keepAlive();
    });
  }

  #describe(error: Error): HostError {
    const { server, maxMessageBytes: limitBytes } = this.#options;
    const { code } = error as NodeJS.ErrnoException;
    if (code === "WS_ERR_UNSUPPORTED_MESSAGE_LENGTH") return new HostError("MESSAGE_TOO_LARGE", { server, limitBytes });
    return this.#lost(error.message, error);
  }

  #left(code: number, reason: Buffer): HostError {
    const said = reason.length > 0 ? `, “${reason.toString("utf8")}”` : "";
    return this.#lost(`it closed the connection (${code}${said})`);
  }

  #lost(reason: string, cause?: Error): HostError {
    return new HostError("CONNECTION_LOST", { server: this.#options.server, reason }, { cause });
  }

  #end(error: HostError): void {
    this.#stopKeepAlive?.();
    this.#share.stop();
    if (this.#closed) return;
    this.#closed = true;
    this.#events?.closed(error);
  }
}
