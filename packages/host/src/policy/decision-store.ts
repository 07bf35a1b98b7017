/**
 * Stores the answers that allow more than one call: for the caller's session, or always. An answer counts for one
 * principal, unless the owner has given it for everyone. It applies only to the same tool definition, the same server
 * definition and the same rule.
 */
import { compoundKey, HostError, isJsonObject, Listeners, OWNER, principalIdOf } from "@plugboard/contracts";
import type { AnswerGrant, Caller, DecisionGrantee, JsonObject, StoredDecision, Tool } from "@plugboard/contracts";
import { StoredListCache } from "@plugboard/store";
import type { StoredList } from "@plugboard/store";

/** The question that a decision answers. */
export interface DecisionKey {
  readonly server: string;
  /** The hash of the server's definition in the config. */
  readonly definition: string;
  readonly tool: string;
  readonly pin: string;
  /**
   * The text of the rule that asked. If another rule applies later, the decision does not count, and the user is asked.
   */
  readonly rule?: string | undefined;
  /** Set if the decision is about every tool of the server. Then `tool` is `*`, and `pins` applies instead of `pin`. */
  readonly covers?: "server" | undefined;
}

export interface Decision extends DecisionKey {
  readonly id: string;
  readonly at: number;
  readonly grantee: DecisionGrantee;
  /** The tool's definition when it was allowed. If the tool changes, the user is shown the difference. */
  readonly approved: Tool;
  /**
   * Set if the decision covers the server: the pins of all tools that the server had. The
   * user is asked about new and changed tools.
   */
  readonly pins?: ToolPins;
}

/** Pins by the names of tools. */
export interface ToolPins {
  readonly [tool: string]: string;
}

export interface ListedDecision extends Decision {
  readonly scope: "session" | "always";
  /** The caller whose session the decision applies to. */
  readonly caller?: Caller;
  /** True if the tool has changed since the decision, as far as the host knows. */
  readonly lapsed: boolean;
}

export interface DecisionStoreOptions {
  readonly stored: StoredList<Decision>;
  readonly newId: () => string;
  readonly now: () => number;
  /** Called for each stored decision that was dropped, because it has no grantee. */
  readonly onDropped?: (decision: Pick<Decision, "server" | "tool">) => void;
  /** Called once for each decision that `updateLapsed` finds. */
  readonly onLapsed?: (decision: Pick<Decision, "server" | "tool">) => void;
}

/** Limits the stored decisions. At the limit, the oldest decision of the grantee with the most decisions is deleted. */
const MAX_STORED = 1000;

export class DecisionStore {
  readonly #options: DecisionStoreOptions;
  /** The session decisions, by caller. */
  readonly #sessions = new Map<string, { readonly caller: Caller; readonly decisions: Map<string, Decision> }>();
  readonly #listeners = new Listeners();
  /**
   * The decisions that were reported as lapsed, by id. The value says whether they are lapsed now, because a tool can
   * change back and forth.
   */
  readonly #lapsed = new Map<string, boolean>();
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
    if (this.#storedEntries.invalid.some(hasNoGrantee)) await this.#dropWithoutGrantee();
  }

  /**
   * Returns "allow", or the definition that was allowed before the tool changed. Returns undefined without a decision.
   */
  find(query: DecisionKey & { readonly caller: Caller }): "allow" | { readonly changed: Tool } | undefined {
    const found = this.#lookUp(query);
    if (found.some(({ pin }) => pin === query.pin)) return "allow";
    const ofServer = this.#lookUp({ ...query, covers: "server" });
    if (ofServer.some(({ pins = {} }) => Object.hasOwn(pins, query.tool) && pins[query.tool] === query.pin))
      return "allow";
    const [outdated] = found;
    return outdated && { changed: outdated.approved };
  }

  /** Returns the decisions for the caller's session, for its principal and for everyone, whatever their pin. */
  #lookUp(query: DecisionKey & { readonly caller: Caller }): Decision[] {
    const key = indexKeyOf(principalIdOf(query.caller), query);
    const inSession = this.#sessions.get(callerKey(query.caller))?.decisions.get(key);
    const own = this.#storedByKey.get(key);
    const forEveryone = this.#storedByKey.get(indexKeyOf(EVERYONE, query));
    return [inSession, own, forEveryone].filter((decision) => decision !== undefined);
  }

  /**
   * Remembers a decision for the principal of the caller, or for everyone. `serverPins` are the pins of
   * the tools that a decision about a whole server covers. Rejects if an `always` decision can't be
   * stored. The decision then has no effect.
   */
  async remember(
    { lasts, to, covers }: AnswerGrant,
    { caller, server, definition, tool, pin, rule }: DecisionKey & { readonly caller: Caller },
    approved: Tool,
    serverPins: ToolPins = {},
  ): Promise<void> {
    const subject = covers === "server" ? { tool: "*", covers, pins: serverPins } : { tool };
    const decisionKey = { server, definition, ...subject, pin, ...(rule !== undefined && { rule }) };
    const grantee = to === "everyone" ? EVERYONE : granteeOf(caller);
    const decision = { id: this.#options.newId(), at: this.#options.now(), grantee, ...decisionKey, approved };
    const key = indexKeyOf(granteeIdOf(grantee), decisionKey);
    switch (lasts) {
      case "session":
        this.#keepInSession(caller, key, decision);
        break;
      case "always":
        await this.#update((all) => withinLimit([...all.filter((other) => storedKeyOf(other) !== key), decision]));
        break;
      default:
        // A new kind of grant must not be stored for good by accident.
        lasts satisfies never;
    }
    this.#listeners.emit();
  }

  #keepInSession(caller: Caller, key: string, decision: Decision): void {
    const session = this.#sessions.get(callerKey(caller)) ?? { caller, decisions: new Map<string, Decision>() };
    session.decisions.set(key, decision);
    this.#sessions.set(callerKey(caller), session);
  }

  /** Calls the listener after each new decision. */
  onRemembered(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  /** Deletes the session decisions of a caller. */
  forgetCaller(caller: Caller): void {
    this.#sessions.delete(callerKey(caller));
  }

  /** Deletes all decisions of a principal whose token was revoked. Rejects if the stored decisions can't be deleted. */
  async forgetPrincipal(principal: string): Promise<void> {
    for (const [key, { caller }] of this.#sessions) {
      if (principalIdOf(caller) === principal) this.#sessions.delete(key);
    }
    const isOwn = ({ grantee }: Decision) => granteeIdOf(grantee) === principal;
    if (this.#storedEntries.all.some(isOwn)) await this.#update((all) => all.filter((one) => !isOwn(one)));
  }

  list(): ListedDecision[] {
    const stored = [...this.#storedByKey.values()].map((one) => ({ ...one, scope: "always" as const }));
    const inSessions = [...this.#sessions.values()].flatMap(({ caller, decisions }) =>
      [...decisions.values()].map((one) => ({ ...one, scope: "session" as const, caller })),
    );
    return [...stored, ...inSessions].map((one) => ({ ...one, lapsed: this.#lapsed.get(one.id) ?? false }));
  }

  /**
   * Marks and reports the decisions that no longer apply because tools of the server have changed. `isLapsed` returns
   * undefined for an unknown tool.
   */
  updateLapsed(server: string, isLapsed: (decision: Decision) => boolean | undefined): void {
    const listed = this.list();
    const ids = new Set(listed.map(({ id }) => id));
    for (const id of this.#lapsed.keys()) if (!ids.has(id)) this.#lapsed.delete(id);
    for (const decision of listed) {
      const lapsed = decision.server === server ? isLapsed(decision) : undefined;
      const isReported = this.#lapsed.has(decision.id);
      if (lapsed === true || (lapsed === false && isReported)) this.#lapsed.set(decision.id, lapsed);
      if (lapsed === true && !isReported) this.#options.onLapsed?.(decision);
    }
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

  /**
   * Removes invalid entries from the file. If several hosts share the file, only
   * the host that removes an entry reports it.
   */
  async #dropWithoutGrantee(): Promise<void> {
    const dropped: unknown[] = [];
    await this.#storedEntries.update((all, invalid) => {
      dropped.push(...invalid);
      return all;
    });
    for (const decision of dropped) if (hasNoGrantee(decision)) this.#options.onDropped?.(decision);
  }

  #index(): void {
    this.#storedByKey = new Map(this.#storedEntries.all.map((one) => [storedKeyOf(one), one]));
  }
}

/** Leaves out the definitions of the server and the tool. */
export function toStoredDecision(decision: ListedDecision): StoredDecision {
  const { id, at, scope, server, tool, pins, pin, rule, grantee, caller, lapsed } = decision;
  const optional = { ...(rule !== undefined && { rule }), ...(caller && { caller }), ...(pins && { pins }) };
  return { id, at, scope, server, tool, pin, grantee, ...optional, ...(lapsed && { lapsed }) };
}

function withinLimit(all: Decision[]): Decision[] {
  if (all.length <= MAX_STORED) return all;
  const byGrantee = new Map<string, Decision[]>();
  for (const one of all) {
    const id = granteeIdOf(one.grantee);
    const own = byGrantee.get(id);
    if (own) own.push(one);
    else byGrantee.set(id, [one]);
  }
  const [most] = [...byGrantee.values()].sort((a, b) => b.length - a.length);
  return withinLimit(all.filter((one) => one !== most![0]));
}

/** No principal has this id. */
const EVERYONE = "everyone";

function granteeOf({ principal = OWNER }: Caller): DecisionGrantee {
  return { id: principal.id, name: principal.name };
}

function granteeIdOf(grantee: DecisionGrantee): string {
  return grantee === EVERYONE ? grantee : grantee.id;
}

function storedKeyOf(decision: Decision): string {
  return indexKeyOf(granteeIdOf(decision.grantee), decision);
}

/** Returns a key without the pin, so that each grantee has one decision per tool and rule. */
function indexKeyOf(
  grantee: string,
  { server, definition, tool, rule = "", covers }: Omit<DecisionKey, "pin">,
): string {
  // Without the tool, the key has fewer parts, so it differs from the keys of all tools.
  if (covers === "server") return compoundKey(grantee, server, definition, rule);
  return compoundKey(grantee, server, definition, tool, rule);
}

function callerKey({ kind, id }: Caller): string {
  return compoundKey(kind, id);
}

function isDecision(value: unknown): value is Decision {
  return hasDecisionFields(value) && isGrantee(value["grantee"]);
}

function hasNoGrantee(value: unknown): value is Omit<Decision, "grantee"> {
  return hasDecisionFields(value) && value["grantee"] === undefined;
}

function isGrantee(value: unknown): boolean {
  if (value === EVERYONE) return true;
  return isJsonObject(value) && typeof value["id"] === "string" && typeof value["name"] === "string";
}

function hasDecisionFields(value: unknown): value is JsonObject {
  if (!isJsonObject(value) || !isJsonObject(value["approved"])) return false;
  const texts = ["id", "server", "definition", "tool", "pin"].map((name) => value[name]);
  const { covers, pins } = value;
  if (covers !== undefined && !(covers === "server" && isJsonObject(pins))) return false;
  return texts.every((text) => typeof text === "string") && ["string", "undefined"].includes(typeof value["rule"]);
}
