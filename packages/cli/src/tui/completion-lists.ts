/** Loads what the input line can complete: servers, prompts, resources, and values for arguments of prompts. */
import type { ChatSession } from "./session/chat-session.ts";
import type { Completions, CompletionSources, PromptArgumentInput } from "./input/complete-input.ts";
import { SLASH_COMMANDS } from "./slash/slash-commands.ts";

/** Changes of servers often come together. */
const REFRESH_DELAY_MS = 200;

export class CompletionLists {
  readonly #session: ChatSession;
  readonly #onChange: () => void;
  #timer: NodeJS.Timeout | undefined;
  /** The values that a server has suggested, by the argument and its text. */
  readonly #values = new Map<string, readonly string[]>();
  sources: CompletionSources = { commands: SLASH_COMMANDS, servers: [], models: [], prompts: [], resources: [] };
  #isLookingForModels = false;

  constructor(session: ChatSession, onChange: () => void) {
    this.#session = session;
    this.#onChange = onChange;
  }

  refreshSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      // A list that can't be loaded suggests nothing. `/mcp` shows the error of its server.
      this.#refresh().catch(() => {});
    }, REFRESH_DELAY_MS);
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  /** Looks for models on this machine, once. */
  async findModels(): Promise<void> {
    if (this.#isLookingForModels) return;
    this.#isLookingForModels = true;
    const { api, spec } = this.#session;
    // If the request fails, nothing is suggested, and the user types the model.
    const { found } = await api.chats.models({ cwd: spec.cwd }).catch(() => ({ found: [] }));
    this.sources = { ...this.sources, models: found };
    if (found.length > 0) this.#onChange();
  }

  /** Returns the values that are known, and asks the server for them if there are none yet. */
  completePromptArgument(completions: Completions, input: PromptArgumentInput): Completions | undefined {
    const key = JSON.stringify(input);
    const values = this.#values.get(key);
    if (!values) {
      this.#values.set(key, []);
      void this.#loadValues(key, input);
      return undefined;
    }
    const suggestions = values.map((value) => ({ value: quoteWord(value), suffix: " " }));
    return suggestions.length === 0 ? undefined : { ...completions, suggestions };
  }

  async #refresh(): Promise<void> {
    const chat = this.#session.current;
    if (!chat) return;
    const servers = await this.#session.refreshServers(chat);
    this.sources = { ...this.sources, servers: servers.map(({ id }) => id) };
    this.#onChange();
    // Listing must not start servers that are idle, so only connected servers are asked.
    const ready = servers.filter(({ state }) => state === "ready").map(({ id }) => id);
    const [prompts, resources] = await Promise.all([
      Promise.all(ready.map((server) => chat.workspace.prompts.list({ server }))),
      Promise.all(ready.map((server) => chat.workspace.resources.list({ server }))),
    ]);
    this.sources = {
      ...this.sources,
      prompts: prompts.flatMap((list) =>
        list.prompts.map(({ server, name, title, description, arguments: args = [] }) => {
          const about = title ?? description;
          return {
            server,
            name,
            ...(about !== undefined && { about }),
            arguments: args.map((argument) => argument.name),
          };
        }),
      ),
      resources: resources.flatMap((list) =>
        list.resources.map(({ server, uri, title, name }) => ({ server, uri, about: title ?? name })),
      ),
    };
    this.#onChange();
  }

  async #loadValues(key: string, { server, prompt, argument, value, others }: PromptArgumentInput): Promise<void> {
    const chat = this.#session.current;
    try {
      const ref = { type: "ref/prompt", name: prompt } as const;
      const found = await chat?.workspace.prompts.complete(server, ref, { name: argument, value }, others);
      this.#values.set(key, found?.values ?? []);
      if (found && found.values.length > 0) this.#onChange();
    } catch {
      // A server without completion suggests nothing.
    }
  }
}

function quoteWord(value: string): string {
  return /[\s"]/.test(value) ? JSON.stringify(value) : value;
}
