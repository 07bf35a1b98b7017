/**
 * The host's side of the protocol between an App and its host (MCP Apps, 2026-01-26). Answers the requests of the App
 * by the rows of `app-methods.ts`, and tells it the arguments and the result of its tool. Knows neither frames nor
 * React.
 */
import { isHostError } from "@plugboard/contracts";
import type { JsonObject, ToolResult } from "@plugboard/contracts";
import {
  AppError,
  errorMessage,
  MAX_CHARS,
  measureMessage,
  METHOD_NOT_FOUND,
  notificationMessage,
  parseAppMessage,
  REQUEST_FAILED,
  resultMessage,
} from "./app-message.ts";
import { APP_METHODS, APP_NOTIFICATIONS, toJsonObject } from "./app-methods.ts";
import type { AppPorts } from "./app-ports.ts";

const MAX_OPEN_REQUESTS = 16;
/** An App that sends messages faster than this for long is stopped, because it would block the page. */
const MESSAGES_PER_SECOND = 100;
const MAX_BURST = 500;
const MAX_CHARS_PER_SECOND = 2 * MAX_CHARS;
const TOO_MUCH = `it sent more than ${MAX_CHARS_PER_SECOND / 2 ** 20} MB in a second`;

export class AppBridge {
  readonly #ports: AppPorts;
  /** Messages for the App that wait until it is initialized. Undefined from then on. */
  #waiting: JsonObject[] | undefined = [];
  #openRequests = 0;
  /** A leaky bucket: each message adds one, time drains it. */
  #excess = 0;
  #countedAt = 0;
  /** The current second, and the characters that the App has sent in it. */
  #second: number | undefined;
  #chars = 0;
  #stopped = false;
  #teardown: { readonly id: string; readonly done: () => void } | undefined;

  constructor(ports: AppPorts) {
    this.#ports = ports;
  }

  /** True once the App has said that it is ready. */
  get initialized(): boolean {
    return this.#waiting === undefined;
  }

  /** Handles a value that the App has posted. Ignores everything that is not a message. */
  receive(data: unknown): void {
    if (this.#stopped || !this.#count(measureMessage(data))) return;
    const message = parseAppMessage(data);
    if (message?.type === "request") void this.#answer(message.id, message.method, message.params);
    else if (message?.type === "notification") this.#onNotification(message.method, message.params);
    else if (message?.id === this.#teardown?.id) this.#teardown?.done();
  }

  toolInput(args: JsonObject): void {
    this.#notify("ui/notifications/tool-input", { arguments: args });
  }

  toolResult(result: ToolResult): void {
    this.#notify("ui/notifications/tool-result", toJsonObject(result));
  }

  contextChanged(changed: JsonObject): void {
    this.#notify("ui/notifications/host-context-changed", changed);
  }

  /** Lets the App finish. Resolves when the App has finished or `deadline` resolves. */
  async teardown(deadline: Promise<void>): Promise<void> {
    if (this.#waiting || this.#stopped) return;
    const id = "teardown";
    const finished = new Promise<void>((resolve) => (this.#teardown = { id, done: resolve }));
    this.#post({ jsonrpc: "2.0", id, method: "ui/resource-teardown", params: {} });
    await Promise.race([finished, deadline]);
    this.stop();
  }

  /** From now on the App gets no messages, and its own messages are ignored. */
  stop(): void {
    this.#stopped = true;
  }

  #post(message: JsonObject): void {
    if (!this.#stopped) this.#ports.post(message);
  }

  #notify(method: string, params: JsonObject): void {
    const message = notificationMessage(method, params);
    if (this.#waiting) this.#waiting.push(message);
    else this.#post(message);
  }

  /** Counts a message. Returns false if it is too large. Stops the App and returns false if it has sent too much. */
  #count(chars: number | undefined): boolean {
    const now = this.#ports.now();
    this.#excess = Math.max(0, this.#excess - ((now - this.#countedAt) * MESSAGES_PER_SECOND) / 1000) + 1;
    this.#countedAt = now;
    const second = Math.floor(now / 1000);
    if (second !== this.#second) [this.#second, this.#chars] = [second, 0];
    this.#chars += chars ?? MAX_CHARS;
    if (this.#chars > MAX_CHARS_PER_SECOND) return this.#stopFor(TOO_MUCH);
    if (this.#excess > MAX_BURST) return this.#stopFor("it sent too many messages");
    return chars !== undefined;
  }

  #stopFor(reason: string): false {
    this.stop();
    this.#ports.onStopped(reason);
    return false;
  }

  async #answer(id: string | number, method: string, params: JsonObject): Promise<void> {
    if (this.#openRequests >= MAX_OPEN_REQUESTS) {
      return this.#post(errorMessage(id, new AppError(REQUEST_FAILED, "Too many open requests")));
    }
    this.#openRequests++;
    try {
      this.#post(resultMessage(id, await this.#perform(method, params)));
    } catch (thrown) {
      this.#post(errorMessage(id, toAppError(thrown)));
    } finally {
      this.#openRequests--;
    }
  }

  async #perform(method: string, params: JsonObject): Promise<JsonObject> {
    const ports = this.#ports;
    const row = Object.hasOwn(APP_METHODS, method) ? APP_METHODS[method] : undefined;
    if (!row || row.rule === "denied" || (row.where === "chat" && !ports.inChat)) {
      throw new AppError(METHOD_NOT_FOUND, `${method} is not supported here`);
    }
    if (row.rule !== "asks") return row.perform(ports, params);
    const request = row.toRequest(params);
    if (!(await ports.ask(request))) return { isError: true };
    await ports.carryOut(request);
    return {};
  }

  #onNotification(method: string, params: JsonObject): void {
    if (!Object.hasOwn(APP_NOTIFICATIONS, method)) return;
    APP_NOTIFICATIONS[method]?.handle({ ...this.#ports, onInitialized: () => this.#sendWaiting() }, params);
  }

  #sendWaiting(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const message of waiting) this.#post(message);
  }
}

function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  if (isHostError(thrown)) return new AppError(REQUEST_FAILED, thrown.message, { code: thrown.code });
  return new AppError(REQUEST_FAILED, thrown instanceof Error ? thrown.message : String(thrown));
}
