/**
 * Stores the history of one chat. A new message is appended; only a compacted or cleared history is written as a whole.
 */
import { HostError, isJsonObject } from "@plugboard/contracts";
import type { Json, JsonObject } from "@plugboard/contracts";
import { EMPTY_HISTORY } from "@plugboard/agent";
import type { History } from "@plugboard/agent";
import { JsonLinesFile } from "@plugboard/store";

export interface StoredHistory extends History {
  /** True if a turn ran when the history was stored. If a chat is opened with it, the host ended during that turn. */
  readonly running: boolean;
}

/** A line has a message that was added, or the parts of the history that have changed. */
type Line = { readonly message: History["messages"][number] } | Partial<Omit<StoredHistory, "messages">>;

const NOTHING: StoredHistory = { ...EMPTY_HISTORY, running: false };

export class HistoryFile {
  readonly #lines: JsonLinesFile;
  #written: StoredHistory | undefined;

  constructor(file: string) {
    this.#lines = new JsonLinesFile(file);
  }

  /** Returns undefined if the chat is not stored. */
  async read(): Promise<StoredHistory | undefined> {
    const lines = await this.#lines.read();
    if (!lines) return undefined;
    this.#written = this.#join(lines);
    return this.#written;
  }

  async write(history: StoredHistory): Promise<void> {
    const before = this.#written;
    const added = before && beginsWith(history, before) ? toLines(history, before) : undefined;
    if (added?.length === 0) return;
    // If the write fails, the next one replaces the whole file.
    this.#written = undefined;
    const isAppended = added && (await this.#lines.append(added));
    if (!isAppended) await this.#lines.replace(toLines(history, NOTHING));
    this.#written = history;
  }

  /** Only Plugboard writes the file, so the main parts are checked, not every field. */
  #join(lines: readonly JsonObject[]): StoredHistory {
    const messages = lines.flatMap(({ message }) => (message === undefined ? [] : [message]));
    const changes = lines.filter((line) => !("message" in line));
    const isValid = messages.every((message) => isJsonObject(message) && Array.isArray(message["content"]));
    if (!isValid) throw this.#damaged("a message is not valid");
    if (!changes.every(isChange)) throw this.#damaged("a line is not valid");
    return { ...NOTHING, ...Object.assign({}, ...changes), messages } as StoredHistory;
  }

  #damaged(problem: string): HostError {
    return new HostError("STORE_UNREADABLE", { file: this.#lines.file, reason: `it is damaged: ${problem}` });
  }
}

const COUNTS = ["inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens"];

function isChange({ toolOrder = [], usage, measured, running = false }: JsonObject): boolean {
  return (
    Array.isArray(toolOrder) &&
    (usage === undefined || hasNumbers(usage, COUNTS)) &&
    (measured === undefined || hasNumbers(measured, ["tokens", "messages"])) &&
    typeof running === "boolean"
  );
}

function hasNumbers(value: Json, names: readonly string[]): boolean {
  return isJsonObject(value) && names.every((name) => typeof value[name] === "number");
}

/** Messages never change, so a message that was written is the same object. */
function beginsWith({ messages }: History, { messages: written }: History): boolean {
  return written.length <= messages.length && written.every((message, index) => message === messages[index]);
}

function toLines(history: StoredHistory, before: StoredHistory): Line[] {
  const { messages, toolOrder, usage, measured, running } = history;
  const added = messages.slice(before.messages.length).map((message) => ({ message }));
  const changed = {
    ...(!isEqual(toolOrder, before.toolOrder) && { toolOrder }),
    ...(!isEqual(usage, before.usage) && { usage }),
    ...(!isEqual(measured, before.measured) && { measured }),
    ...(running !== before.running && { running }),
  };
  return [...added, ...(Object.keys(changed).length > 0 ? [changed] : [])];
}

function isEqual(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
