/** Says what to set if the chat has no model, and offers a model that was found on this machine. */
import type { CliContext } from "../terminal/cli-context.ts";
import type { Text } from "../terminal/text.ts";
import { styled } from "../terminal/text.ts";
import { withOperations } from "../workspace/with-operations.ts";
import type { ChatSession } from "./session/chat-session.ts";

export class ModelOffer {
  readonly #session: ChatSession;
  readonly #cli: Pick<CliContext, "cwd" | "env">;
  readonly #print: (text: Text) => void;
  #model: string | undefined;

  constructor(session: ChatSession, cli: Pick<CliContext, "cwd" | "env">, print: (text: Text) => void) {
    this.#session = session;
    this.#cli = cli;
    this.#print = print;
  }

  async load(): Promise<void> {
    const { api, spec, current } = this.#session;
    if (!current || current.transcript.chat.model !== undefined) return;
    const { found } = await api.chats.models({ cwd: spec.cwd });
    [this.#model] = found;
    const [userFile] = await withOperations(this.#cli, (operations) => operations.configFiles({ scope: "user" }));
    this.#print(styled("yellow", describeChoices(found, userFile!.file)));
  }

  /** Called for a message that no model can get. The notice of `load` has explained the choices. */
  remind(): void {
    this.#print(styled("yellow", "No model is set. Use /model provider/model, then ↑ shows your message again."));
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

function describeChoices(found: readonly string[], configFile: string): string {
  const models = found.length === 0 ? "" : ` Models on this machine: ${found.join(", ")}.`;
  return (
    `No model is set.${models} Choose one with \`/model provider/model\`, or for all chats with \`mcp.model\` in ` +
    `${configFile} or the variable \`PLUGBOARD_MODEL\`: \`anthropic/…\` with a key in \`ANTHROPIC_API_KEY\`, ` +
    "`openai/…` with a key in `OPENAI_API_KEY`, or `ollama/…` without a key. All commands work without a model."
  );
}
