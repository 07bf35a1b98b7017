/** The chats of a host. Loads their service on first use. */
import { HostError } from "@plugboard/contracts";
import type { ModelPort } from "../calls/sampling.ts";
import type { ChatService } from "./chat-service.ts";

export class HostChats {
  readonly #load: (() => Promise<ChatService>) | undefined;
  #loading: Promise<ChatService> | undefined;
  #loaded: ChatService | undefined;
  #closed = false;

  /** Without `load`, the host has no chats. */
  constructor(load: (() => Promise<ChatService>) | undefined) {
    this.#load = load;
  }

  /** The number of chats that are open, or closed but still finishing their last turn. */
  get openChats(): number {
    return this.#loaded?.openChats ?? 0;
  }

  async service(): Promise<ChatService> {
    if (this.#closed) throw new HostError("HOST_CLOSED", {});
    if (!this.#load) throw new HostError("NOT_FOUND", { subject: "chat in a host without an agent" });
    return (this.#loading ??= this.#load().then((service) => (this.#loaded = service)));
  }

  /** Returns the model of an open chat. */
  modelOf(chat: string): ModelPort | undefined {
    return this.#loaded?.modelOf(chat);
  }

  /** Ends all turns and stores the chats. */
  async close(): Promise<void> {
    this.#closed = true;
    await (await this.#loading)?.close();
  }
}
