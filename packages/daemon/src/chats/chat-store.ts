/**
 * Stores chats in the state folder. Each chat has a small file with the information that a list shows, and a file with
 * its history. Only the user can read the files. Without a state folder, nothing is stored.
 */
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { HostError, isJsonObject } from "@plugboard/contracts";
import type { ChatInfo, ChatSpec, JsonObject } from "@plugboard/contracts";
import { StateFile } from "@plugboard/store";
import { ChatLock } from "./chat-lock.ts";
import { HistoryFile } from "./history-file.ts";
import type { StoredHistory } from "./history-file.ts";

/**
 * The options that are needed to open a chat again. Its environment, servers and rules are not stored, because they may
 * contain secrets.
 */
const STORED_KEYS = [
  "cwd",
  "configFiles",
  "exclude",
  "naming",
  "profile",
  "model",
  "nativeTools",
  "system",
  "limits",
] as const satisfies readonly (keyof ChatSpec)[];

type StoredSpec = Pick<ChatSpec, (typeof STORED_KEYS)[number]>;

export function toStoredSpec(spec: ChatSpec): StoredSpec {
  const { cwd, ...optional } = spec;
  const isStored = ([key, value]: [string, unknown]) => value !== undefined && STORED_KEYS.some((one) => one === key);
  return { cwd, ...Object.fromEntries(Object.entries(optional).filter(isStored)) };
}

export interface StoredChat {
  /** `interrupted` is also set while a turn runs, because the host may end before the turn does. */
  readonly info: Omit<ChatInfo, "state">;
  readonly spec: StoredSpec;
}

const ID = /^[0-9a-f-]{36}$/;
/** The endings of the files of a chat. OPEN is the lock of the host that has the chat open. */
const INFO = ".chat.json";
const HISTORY = ".history.jsonl";
const OPEN = ".open";

export class ChatStore {
  readonly #folder: string | undefined;
  /** The history files of open chats. Each remembers what it has written, to append only the rest. */
  readonly #histories = new Map<string, HistoryFile>();

  readonly #locks = new Map<string, ChatLock>();

  constructor(stateFolder: string | undefined) {
    this.#folder = stateFolder && join(stateFolder, "chats");
  }

  /**
   * Returns the chats that can be read. A damaged file hides only its own chat. Throws STORE_UNREADABLE if the folder
   * can't be read.
   */
  async list(): Promise<StoredChat[]> {
    if (this.#folder === undefined) return [];
    const names = await readNames(this.#folder);
    const ids = names.filter((name) => name.endsWith(INFO)).map((name) => name.slice(0, -INFO.length));
    const chats = await Promise.all(ids.map((id) => this.find(id).catch(() => undefined)));
    return chats.filter((chat) => chat !== undefined);
  }

  async find(id: string): Promise<StoredChat | undefined> {
    const { chat } = (await this.#infoFile(id)?.read()) ?? {};
    return chat;
  }

  /** Reads the history of a chat that is being opened. */
  async history(id: string): Promise<StoredHistory | undefined> {
    return this.#historyFile(id)?.read();
  }

  async saveHistory(id: string, history: StoredHistory): Promise<void> {
    await this.#historyFile(id)?.write(history);
  }

  async saveInfo(chat: StoredChat): Promise<void> {
    await this.#infoFile(chat.info.id)?.update(() => ({ chat }));
  }

  /** Keeps other hosts from opening the chat until `close`. Throws CHAT_BUSY if another host has opened it. */
  async open(id: string): Promise<void> {
    const file = this.#pathOf(id, OPEN);
    if (file !== undefined && !this.#locks.has(id)) this.#locks.set(id, await ChatLock.take(id, file));
  }

  /** Called when a chat has been closed. Forgets what was written, and lets other hosts open the chat. */
  async close(id: string): Promise<void> {
    const lock = this.#locks.get(id);
    this.#histories.delete(id);
    this.#locks.delete(id);
    await lock?.release();
  }

  /** Removes a chat that is closed. Returns false if it was not stored. */
  async remove(id: string): Promise<boolean> {
    if (!(await this.find(id))) return false;
    await Promise.all([INFO, HISTORY].map((ending) => rm(this.#pathOf(id, ending)!, { force: true })));
    return true;
  }

  #infoFile(id: string) {
    const file = this.#pathOf(id, INFO);
    return file === undefined
      ? undefined
      : new StateFile<{ readonly chat?: StoredChat }>(file, { initial: {}, parse: parseInfo });
  }

  #historyFile(id: string): HistoryFile | undefined {
    const file = this.#pathOf(id, HISTORY);
    if (file === undefined) return undefined;
    const history = this.#histories.get(id) ?? new HistoryFile(file);
    this.#histories.set(id, history);
    return history;
  }

  #pathOf(id: string, ending: string): string | undefined {
    return this.#folder === undefined || !ID.test(id) ? undefined : join(this.#folder, `${id}${ending}`);
  }
}

/** Returns no names if the folder does not exist yet. */
async function readNames(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (thrown) {
    const { code, message } = thrown as NodeJS.ErrnoException;
    if (code === "ENOENT") return [];
    throw new HostError("STORE_UNREADABLE", { file: folder, reason: code ?? message }, { cause: thrown });
  }
}

function parseInfo({ chat }: JsonObject): { readonly chat: StoredChat } | undefined {
  return isStoredChat(chat) ? { chat } : undefined;
}

/** Only Plugboard writes these files, so their main parts are checked, not every field. */
function isStoredChat(chat: unknown): chat is StoredChat {
  if (!isJsonObject(chat) || !isJsonObject(chat["info"]) || !isJsonObject(chat["spec"])) return false;
  const { id, title } = chat["info"];
  return typeof id === "string" && typeof title === "string" && typeof chat["spec"]["cwd"] === "string";
}
