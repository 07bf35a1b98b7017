/**
 * What people have allowed for longer than one call: until the caller ends, or
 * for good. Each answers one question again, the same one: this tool, as it was
 * then, of this server, as it was defined then, asked by the same rule. Never
 * decides anything itself.
 */
import { HostError, isJsonObject, Listeners } from "@plugboard/contracts";
import type { Caller, Tool } from "@plugboard/contracts";
import { StoredListCache } from "../store/stored-list.ts";
import type { StoredList } from "../store/stored-list.ts";

/** What a decision is about. */
export interface DecisionKey {
  readonly server: string;
  /** The hash of the server's definition. */
  readonly definition: string;
  readonly tool: string;
  readonly pin: string;
  /** The rule that asked; a rule written later still asks. */
  readonly rule?: string | undefined;
}

export interface Decision extends DecisionKey {
  readonly id: string;
  readonly at: number;
  /** The tool's definition when it was approved: what a change is compared with. */
  readonly approved: Tool;
}

export interface ListedDecision extends Decision {
  readonly scope: "session" | "always";
  /** Whose it is, until they end. */
  readonly caller?: Caller;
}

export interface DecisionStoreOptions {
  readonly stored: StoredList<Decision>;
  readonly newId: () => string;
  readonly now: () => number;
}

/** Beyond it the oldest are forgotten, which means: asked again. */
const MAX_STORED = 1000;

export class DecisionStore {
  readonly #options: DecisionStoreOptions;
  readonly #callers = new Map<string, { readonly caller: Caller; readonly made: Map<string, Decision> }>();
  readonly #listeners = new Listeners();
  readonly #entries: StoredListCache<Decision>;
  #stored: ReadonlyMap<string, Decision> = new Map();

  constructor(options: DecisionStoreOptions) {
    this.#options = options;
    this.#entries = new StoredListCache(options.stored, isDecision);
  }

  /** Before the first call, and whenever what is stored was changed by somebody else. */
  async reload(): Promise<void> {
    await this.#entries.reload();
    this.#index();
  }

  /** The definition that was approved comes back if the tool is another one now: then nothing is allowed. */
  find(query: DecisionKey & { readonly caller: Caller }): "allow" | { readonly changed: Tool } | undefined {
    const key = indexKeyOf(query);
    const own = this.#callers.get(callerKey(query.caller))?.made.get(key);
    const stored = this.#stored.get(key);
    if (own?.pin === query.pin || stored?.pin === query.pin) return "allow";
    const approved = own ?? stored;
    return approved && { changed: approved.approved };
  }

  /** One for good counts once it is stored. */
  async remember(
    scope: "session" | "always",
    { caller, server, definition, tool, pin, rule }: DecisionKey & { readonly caller: Caller },
    approved: Tool,
  ): Promise<void> {
    const about = { server, definition, tool, pin, ...(rule !== undefined && { rule }) };
    const decision = { id: this.#options.newId(), at: this.#options.now(), ...about, approved };
    const key = indexKeyOf(about);
    if (scope === "session") {
      const own = this.#callers.get(callerKey(caller)) ?? { caller, made: new Map<string, Decision>() };
      own.made.set(key, decision);
      this.#callers.set(callerKey(caller), own);
    } else {
      await this.#update((all) => [...all.filter((other) => indexKeyOf(other) !== key), decision].slice(-MAX_STORED));
    }
    this.#listeners.emit();
  }

  /** Told whenever something more is allowed. */
  onChange(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  /** When a caller ends. */
  forgetCaller(caller: Caller): void {
    this.#callers.delete(callerKey(caller));
  }

  list(): ListedDecision[] {
    const stored = [...this.#stored.values()].map((one) => ({ ...one, scope: "always" as const }));
    const own = [...this.#callers.values()].flatMap(({ caller, made }) =>
      [...made.values()].map((one) => ({ ...one, scope: "session" as const, caller })),
    );
    return [...stored, ...own];
  }

  async revoke(id: string): Promise<void> {
    for (const { made } of this.#callers.values()) {
      for (const [key, decision] of made) {
        if (decision.id !== id) continue;
        made.delete(key);
        return;
      }
    }
    if (![...this.#stored.values()].some((one) => one.id === id)) {
      throw new HostError("NOT_FOUND", { subject: `decision "${id}"` });
    }
    await this.#update((all) => all.filter((other) => other.id !== id));
  }

  async #update(change: (all: Decision[]) => Decision[]): Promise<void> {
    await this.#entries.update(change);
    this.#index();
  }

  #index(): void {
    this.#stored = new Map(this.#entries.all.map((one) => [indexKeyOf(one), one]));
  }
}

/**
 * All but the pin: there is one decision on a tool, for the definition that was approved last. Ids and hashes have no
 * spaces, and the length says where the tool ends, so no two are alike.
 */
function indexKeyOf({ server, definition, tool, rule = "" }: Omit<DecisionKey, "pin">): string {
  return `${server} ${definition} ${tool.length} ${tool} ${rule}`;
}

function callerKey({ kind, id }: Caller): string {
  return `${kind} ${id}`;
}

function isDecision(value: unknown): value is Decision {
  if (!isJsonObject(value) || !isJsonObject(value["approved"])) return false;
  const texts = ["id", "server", "definition", "tool", "pin"].map((name) => value[name]);
  return texts.every((text) => typeof text === "string") && ["string", "undefined"].includes(typeof value["rule"]);
}
