/**
 * Asks the user to approve the servers that a project's files define, and stores the answer. After a refusal, the user
 * is asked again only when a caller needs the server.
 */
import { HostError, toHostError } from "@plugboard/contracts";
import type { HostEventData, PendingServer, QuestionOwner } from "@plugboard/contracts";
import type { ConfiguredServer } from "@plugboard/config";
import type { QuestionInbox } from "../inbox/question-inbox.ts";
import { definitionHash } from "@plugboard/config";
import { pendingServer, trustQuestion } from "./pending-server.ts";
import { PendingTrust } from "./pending-trust.ts";
import type { TrustStore } from "./trust-store.ts";
import { untrustedError } from "./untrusted-servers.ts";

export interface TrustPromptsOptions {
  readonly trust: TrustStore;
  readonly inbox: QuestionInbox;
  readonly emit: (event: HostEventData) => void;
  /** Returns the server that is active under this id. */
  readonly activeServer: (id: string) => ConfiguredServer | undefined;
  /** Returns the servers that wait for approval. */
  readonly pending: () => readonly ConfiguredServer[];
  /** Called when an approval was given or revoked. Reads the config again. */
  readonly onChanged: () => Promise<void>;
  readonly released: AbortSignal;
}

export class TrustPrompts {
  readonly #options: TrustPromptsOptions;
  /** The definitions with open questions, by `definitionKey`. */
  readonly #open = new Map<string, PendingTrust>();
  /** The definitions that the user has refused, by `definitionKey`. */
  readonly #refused = new Set<string>();

  constructor(options: TrustPromptsOptions) {
    this.#options = options;
  }

  pending(): PendingServer[] {
    return this.#options.pending().flatMap((server) => this.#describe(server) ?? []);
  }

  /**
   * Asks for approval if the server waits for it. Throws SERVER_UNTRUSTED without approval. For a call of a front, asks
   * the users who watch the inbox.
   */
  async ensureTrusted(id: string, owner: QuestionOwner | undefined, signal?: AbortSignal): Promise<void> {
    const server = this.#find(id);
    if (!server) return;
    if (owner && (await this.#askOwnerOrWatchers(server, owner, signal))) return;
    throw untrustedError(server);
  }

  /** Asks the workspace about all waiting servers. Does not wait for the answers. */
  askAll(): void {
    for (const server of this.#options.pending()) {
      const key = definitionKey(server);
      if (!this.#refused.has(key) && !this.#open.has(key)) void this.#ask(server, "workspace");
    }
  }

  /** Withdraws the questions about servers that no longer wait for approval. */
  onConfigChange(): void {
    const pendingKeys = new Set(this.#options.pending().map(definitionKey));
    for (const key of [...this.#open.keys()]) if (!pendingKeys.has(key)) this.#settle(key);
  }

  /** Rejects if the approval can't be stored. The approval then still applies until this host stops. */
  async grant(id: string, hash: string): Promise<void> {
    const server = this.#find(id);
    if (!server) throw new HostError("NOT_FOUND", { subject: `definition of "${id}" that waits for approval` });
    if (definitionHash(server) !== hash) throw new HostError("DEFINITION_CHANGED", { server: id });
    const failure = await this.#grant(server);
    if (failure) throw failure;
  }

  /** Returns false if there was no approval. */
  async revoke(server: ConfiguredServer): Promise<boolean> {
    // Must come first: a config reload may notice the revoked approval at once and ask.
    this.#refused.add(definitionKey(server));
    const revoked = await this.#options.trust.revoke({ folder: server.folder, id: server.id });
    await this.#options.onChanged();
    return revoked;
  }

  #describe(server: ConfiguredServer): PendingServer | undefined {
    const { trust, activeServer } = this.#options;
    const lastTrusted = trust.lastTrustedDefinition(server);
    return pendingServer(server, { lastTrusted, replaces: activeServer(server.id)?.source });
  }

  #find(id: string): ConfiguredServer | undefined {
    return this.#options.pending().findLast((server) => server.id === id);
  }

  #askOwnerOrWatchers(server: ConfiguredServer, owner: QuestionOwner, signal?: AbortSignal): Promise<boolean> {
    if (owner === "workspace" || owner.kind !== "front") return this.#ask(server, owner, signal);
    // A front that calls again must not repeat a question that the user has refused.
    if (this.#refused.has(definitionKey(server))) return Promise.resolve(false);
    const { watchers } = this.#options.inbox;
    return watchers.waitForAnswer((unwatched) => this.#ask(server, "workspace", unwatched), signal);
  }

  #ask(server: ConfiguredServer, owner: QuestionOwner, signal?: AbortSignal): Promise<boolean> {
    const key = definitionKey(server);
    const ask = (asked: QuestionOwner, withdrawn: AbortSignal) => this.#askOnce(server, asked, pending, withdrawn);
    const pending: PendingTrust = this.#open.get(key) ?? new PendingTrust(ask);
    this.#open.set(key, pending);
    return pending.wait(owner, signal);
  }

  async #askOnce(
    server: ConfiguredServer,
    owner: QuestionOwner,
    pending: PendingTrust,
    withdrawn: AbortSignal,
  ): Promise<boolean> {
    const { inbox, released } = this.#options;
    const described = this.#describe(server);
    if (!described) return false;
    const settlement = await inbox.ask(trustQuestion(described, owner), AbortSignal.any([released, withdrawn]));
    if (pending.isSettled) return pending.approved;
    const decision = settlement.by === "answered" && settlement.answer.type === "trust" && settlement.answer.decision;
    if (decision === "yes") await this.#grant(server);
    else this.#endPrompt(server, owner, pending, decision === "no");
    return pending.approved;
  }

  /** Ends a question that brought no approval. A refusal also settles the questions to other owners. */
  #endPrompt(server: ConfiguredServer, owner: QuestionOwner, pending: PendingTrust, refused: boolean): void {
    const key = definitionKey(server);
    // A question to the workspace that nobody answered counts as refused.
    if (refused || owner === "workspace") this.#refused.add(key);
    pending.delete(owner);
    if (refused || pending.isEmpty) this.#settle(key);
  }

  /** Applies the approval to this host even if it can't be stored. Returns the error in that case. */
  async #grant(server: ConfiguredServer): Promise<HostError | undefined> {
    const { trust, emit, onChanged } = this.#options;
    const pending = this.#describe(server);
    if (!pending) return undefined;
    const key = definitionKey(server);
    const open = this.#open.get(key);
    if (open) open.approved = true;
    let failure: HostError | undefined;
    try {
      await trust.grant(pending, pending.definition);
    } catch (thrown) {
      failure = toHostError(thrown);
      emit({ type: "state.failed", error: failure.toJSON() });
    }
    await onChanged();
    // Must come last: until the config is read again, the server is still pending, and a caller could ask about it.
    this.#refused.delete(key);
    this.#settle(key);
    return failure;
  }

  #settle(key: string): void {
    this.#open.get(key)?.settle();
    this.#open.delete(key);
  }
}

/** Identifies the definition that an approval applies to. */
function definitionKey(server: ConfiguredServer): string {
  return `${server.id} ${definitionHash(server)}`;
}
