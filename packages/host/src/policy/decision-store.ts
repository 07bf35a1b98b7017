/**
 * Stores the answers that allow more than one call: for the caller's session, or always. An answer applies only to the
 * same tool definition, the same server definition and the same rule.
 */
import { HostError, isJsonObject, Listeners } from "@plugboard/contracts";
import type { Caller, Tool } from "@plugboard/contracts";
import { StoredListCache } from "../store/stored-list.ts";
import type { StoredList } from "../store/stored-list.ts";

/** The question that a decision answers. */
export interface DecisionKey {
  readonly server: string;
  /** The hash of the server's definition in the config. */
  readonly definition: string;
  readonly tool: string;
  readonly pin: string;
  /** The text of the rule that asked. A rule that is added later asks again. */
  readonly rule?: string | undefined;
}

export interface Decision extends DecisionKey {
  readonly id: string;
  readonly at: number;
  /** The tool's definition when it was allowed. A change is shown as a difference from it. */
  readonly approved: Tool;
}

export interface ListedDecision extends Decision {
  readonly scope: "session" | "always";
  /** The caller whose session it applies to. */
  readonly caller?: Caller;
}

export interface DecisionStoreOptions {
  readonly stored: StoredList<Decision>;
  readonly newId: () => string;
  readonly now: () => number;
}

/** Limits the stored decisions. The oldest are deleted first; the user is then asked again. */
const MAX_STORED = 1000;

export class DecisionStore {
  readonly #options: DecisionStoreOptions;
  /** The session decisions, by caller. */
  readonly #sessions = new Map<string, { readonly caller: Caller; readonly decisions: Map<string, Decision> }>();
  readonly #listeners = new Listeners();
  readonly #storedEntries: StoredListCache<Decision>;
  #storedByKey: ReadonlyMap<string, Decision> = new Map();

  constructor(options: DecisionStoreOptions) {
    this.#options = options;
    this.#storedEntries = new StoredListCache(options.stored, isDecision);
  }

  /** Reads the stored decisions. Must be called before the first `find`, and when another process changed them. */
  async reload(): Promise<void> {
    await this.#storedEntries.reload();
    this.#index();
  }

  /** Returns "allow", or the definition that was allowed if the tool has changed since. */
  find(query: DecisionKey & { readonly caller: Caller }): "allow" | { readonly changed: Tool } | undefined {
    const key = indexKeyOf(query);
    const inSession = this.#sessions.get(callerKey(query.caller))?.decisions.get(key);
    const stored = this.#storedByKey.get(key);
    if (inSession?.pin === query.pin || stored?.pin === query.pin) return "allow";
    const outdated = inSession ?? stored;
    return outdated && { changed: outdated.approved };
  }

  /** Rejects if an `always` decision can't be stored. The decision then has no effect. */
  async remember(
    scope: "session" | "always",
    { caller, server, definition, tool, pin, rule }: DecisionKey & { readonly caller: Caller },
    approved: Tool,
  ): Promise<void> {
    const decisionKey = { server, definition, tool, pin, ...(rule !== undefined && { rule }) };
    const decision = { id: this.#options.newId(), at: this.#options.now(), ...decisionKey, approved };
    const key = indexKeyOf(decisionKey);
    if (scope === "session") {
      const session = this.#sessions.get(callerKey(caller)) ?? { caller, decisions: new Map<string, Decision>() };
      session.decisions.set(key, decision);
      this.#sessions.set(callerKey(caller), session);
    } else {
      await this.#update((all) => [...all.filter((other) => indexKeyOf(other) !== key), decision].slice(-MAX_STORED));
    }
    this.#listeners.emit();
  }

  /** Calls the listener after each new decision. */
  onChange(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  /** Deletes the session decisions of a caller. */
  forgetCaller(caller: Caller): void {
    this.#sessions.delete(callerKey(caller));
  }

  list(): ListedDecision[] {
    const stored = [...this.#storedByKey.values()].map((one) => ({ ...one, scope: "always" as const }));
    const inSessions = [...this.#sessions.values()].flatMap(({ caller, decisions }) =>
      [...decisions.values()].map((one) => ({ ...one, scope: "session" as const, caller })),
    );
    return [...stored, ...inSessions];
  }

  async revoke(id: string): Promise<void> {
    for (const { decisions } of this.#sessions.values()) {
      for (const [key, decision] of decisions) {
        if (decision.id !== id) continue;
        decisions.delete(key);
        return;
      }
    }
    if (![...this.#storedByKey.values()].some((one) => one.id === id)) {
      throw new HostError("NOT_FOUND", { subject: `decision "${id}"` });
    }
    await this.#update((all) => all.filter((other) => other.id !== id));
  }

  async #update(change: (all: Decision[]) => Decision[]): Promise<void> {
    await this.#storedEntries.update(change);
    this.#index();
  }

  #index(): void {
    this.#storedByKey = new Map(this.#storedEntries.all.map((one) => [indexKeyOf(one), one]));
  }
}

/**
 * Returns a unique key without the pin, so that a tool has one decision per rule. Ids and hashes have no spaces, and the
 * length marks the end of the tool name.
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
