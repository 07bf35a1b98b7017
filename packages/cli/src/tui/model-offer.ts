/** Says what to set if the chat has no model, and offers a model that was found on this machine. */
import { commandMessage, HostError } from "@plugboard/contracts";
import type { Text } from "../terminal/text.ts";
import { styled } from "../terminal/text.ts";
import type { ChatSession } from "./session/chat-session.ts";

export class ModelOffer {
  readonly #session: ChatSession;
  readonly #print: (text: Text) => void;
  #model: string | undefined;

  constructor(session: ChatSession, print: (text: Text) => void) {
    this.#session = session;
    this.#print = print;
  }

  async load(): Promise<void> {
    const { api, spec, current } = this.#session;
    if (!current || current.transcript.chat.model !== undefined) return;
    const { found } = await api.chats.models({ cwd: spec.cwd });
    [this.#model] = found;
    this.#print(styled("yellow", commandMessage(new HostError("MODEL_NOT_SET", { found }))));
  }

  /** The command that Tab puts into an empty input. Empty if there is nothing to offer. */
  get command(): string {
    return this.#isOpen ? `/model ${this.#model}` : "";
  }

  get placeholder(): string | undefined {
    return this.#isOpen ? `Tab and Enter use ${this.#model}. /help shows the commands` : undefined;
  }

  get #isOpen(): boolean {
    return this.#model !== undefined && this.#session.current?.transcript.chat.model === undefined;
  }
}
