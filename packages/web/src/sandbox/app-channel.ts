/**
 * Passes messages between the page and the first document of an App's frame, and no other. Messages for the App go
 * through the port of the guard (`guard-document.ts`). Holds each message of the frame's window, sends the guard a
 * ping, and passes the message on when the pong arrives. So the first document still existed when the message came.
 */
import { LEFT } from "./guard-document.ts";

/** Further messages are dropped. The page stops an App earlier, at `MAX_BURST` of `app-bridge.ts`. */
const MAX_WAITING = 1000;

export class AppChannel {
  readonly #nonce: string;
  readonly #deliver: (message: unknown) => void;
  readonly #onLeft: () => void;
  #port: MessagePort | undefined;
  /** The messages that arrived since the last pong. */
  #waiting: unknown[] = [];
  /** How many of `#waiting` arrived before the ping that has no pong yet. 0 if there is no such ping. */
  #pinged = 0;

  /** `deliver` gets the messages of the App. `onLeft` is called when the document of the App has ended. */
  constructor(nonce: string, deliver: (message: unknown) => void, onLeft: () => void) {
    this.#nonce = nonce;
    this.#deliver = deliver;
    this.#onLeft = onLeft;
  }

  /** Handles a message of the frame's window. Ignores all messages until a document sends the nonce with its port. */
  receive({ origin, data, ports }: Pick<MessageEvent<unknown>, "origin" | "data" | "ports">): void {
    // A sandboxed document has the origin "null".
    if (origin !== "null") return;
    const [port] = ports;
    if (!this.#port && data === this.#nonce && port) return this.#connect(port);
    if (!this.#port || this.#waiting.length >= MAX_WAITING) return;
    this.#waiting.push(data);
    if (this.#pinged === 0) this.#ping(this.#port);
  }

  /** Sends a message to the App. */
  send(message: object): void {
    this.#port?.postMessage(message);
  }

  #connect(port: MessagePort): void {
    this.#port = port;
    port.addEventListener("message", ({ data }: MessageEvent<unknown>) => {
      if (data === LEFT) this.#onLeft();
      else this.#passOn(port);
    });
    // Emitted also if the App has removed the listeners of the guard, but not by every browser.
    port.addEventListener("close", this.#onLeft);
    port.start();
  }

  #ping(port: MessagePort): void {
    this.#pinged = this.#waiting.length;
    port.postMessage(null);
  }

  #passOn(port: MessagePort): void {
    const confirmed = this.#waiting.splice(0, this.#pinged);
    this.#pinged = 0;
    for (const message of confirmed) this.#deliver(message);
    if (this.#waiting.length > 0) this.#ping(port);
  }
}
