/**
 * Asks for consent to the servers that a project's files define, and stores the answer. After a refusal, the user is
 * asked again only when a caller needs the server.
 */
import { abortable, cancelled, HostError, toHostError } from "@plugboard/contracts";
import type { HostEventData, PendingServer, QuestionOwner } from "@plugboard/contracts";
import type { ConfiguredServer } from "../config/definition/definition.ts";
import type { QuestionInbox } from "../inbox/question-inbox.ts";
import { definitionHash } from "./definition-hash.ts";
import { pendingServer, trustQuestion } from "./pending-server.ts";
import type { TrustStore } from "./trust-store.ts";
import { untrustedError } from "./untrusted-servers.ts";

export interface TrustPromptsOptions {
  readonly trust: TrustStore;
  readonly inbox: QuestionInbox;
  readonly emit: (event: HostEventData) => void;
  /** Returns the server that is active under this id. */
  readonly activeServer: (id: string) => ConfiguredServer | undefined;
  /** Returns the servers that wait for consent. */
  readonly pending: () => readonly ConfiguredServer[];
  /** Called when a consent was given or revoked. Reads the config again. */
  readonly onChanged: () => Promise<void>;
  readonly released: AbortSignal;
}

/** The open questions about one definition. */
interface PendingConsent {
  /** By owner, one question each. The first answer settles all of them. */
  readonly prompts: Map<string, TrustPrompt>;
  readonly settled: AbortController;
  granted: boolean;
}

interface TrustPrompt {
  readonly granted: Promise<boolean>;
  /** The number of callers that wait for the answer. The question is withdrawn when the last one cancels. */
  waiters: number;
  readonly abandoned: AbortController;
}

export class TrustPrompts {
  readonly #options: TrustPromptsOptions;
  readonly #pendingConsents = new Map<string, PendingConsent>();
  readonly #refused = new Set<string>();

  constructor(options: TrustPromptsOptions) {
    this.#options = options;
  }

  pending(): PendingServer[] {
    return this.#options.pending().flatMap((server) => this.#describe(server) ?? []);
  }

  /**
   * Asks for consent if the server waits for it. Throws SERVER_UNTRUSTED without consent. Instead of a front, a user
   * who watches the inbox is asked.
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
      const key = consentKey(server);
      if (!this.#refused.has(key) && !this.#pendingConsents.has(key)) void this.#ask(server, "workspace");
    }
  }

  /** Withdraws the questions about servers that no longer wait for consent. */
  onConfigChange(): void {
    const pendingKeys = new Set(this.#options.pending().map(consentKey));
    for (const key of [...this.#pendingConsents.keys()]) if (!pendingKeys.has(key)) this.#settle(key);
  }

  /** Rejects if the consent can't be stored. It then applies until this host ends. */
  async grant(id: string, hash: string): Promise<void> {
    const server = this.#find(id);
    if (!server) throw new HostError("NOT_FOUND", { subject: `definition of "${id}" that waits for consent` });
    if (definitionHash(server) !== hash) throw new HostError("DEFINITION_CHANGED", { server: id });
    const failure = await this.#grant(server);
    if (failure) throw failure;
  }

  /** Returns false if there was no consent. */
  async revoke(server: ConfiguredServer): Promise<boolean> {
    // Must come first: a config reload may notice the revoked consent at once and ask.
    this.#refused.add(consentKey(server));
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
    if (this.#refused.has(consentKey(server))) return Promise.resolve(false);
    const { watchers } = this.#options.inbox;
    return watchers.waitForAnswer((unwatched) => this.#ask(server, "workspace", unwatched), signal);
  }

  #ask(server: ConfiguredServer, owner: QuestionOwner, signal?: AbortSignal): Promise<boolean> {
    const key = consentKey(server);
    const consent = this.#pendingConsents.get(key) ?? {
      prompts: new Map(),
      settled: new AbortController(),
      granted: false,
    };
    this.#pendingConsents.set(key, consent);
    const ownerKey = ownerKeyOf(owner);
    // A program also answers the questions to its workspace. If the workspace has been asked, it is not asked again.
    const workspacePrompt =
      owner !== "workspace" && owner.kind === "program" ? consent.prompts.get("workspace") : undefined;
    const prompt = workspacePrompt ?? consent.prompts.get(ownerKey) ?? this.#startPrompt(server, owner, consent);
    prompt.waiters += 1;
    if (!signal) return prompt.granted;
    return abortable(prompt.granted, signal, () => {
      prompt.waiters -= 1;
      if (prompt.waiters === 0) prompt.abandoned.abort();
      return cancelled();
    });
  }

  #startPrompt(server: ConfiguredServer, owner: QuestionOwner, consent: PendingConsent): TrustPrompt {
    const abandoned = new AbortController();
    const prompt = { granted: this.#askOnce(server, owner, consent, abandoned.signal), waiters: 0, abandoned };
    consent.prompts.set(ownerKeyOf(owner), prompt);
    return prompt;
  }

  async #askOnce(
    server: ConfiguredServer,
    owner: QuestionOwner,
    consent: PendingConsent,
    abandoned: AbortSignal,
  ): Promise<boolean> {
    const { inbox, released } = this.#options;
    const pending = this.#describe(server);
    if (!pending) return false;
    const withdrawn = AbortSignal.any([released, consent.settled.signal, abandoned]);
    const settlement = await inbox.ask(trustQuestion(pending, owner), withdrawn);
    if (consent.settled.signal.aborted) return consent.granted;
    const decision = settlement.by === "answered" && settlement.answer.type === "trust" && settlement.answer.decision;
    const refused = decision === "no";
    if (decision === "yes") await this.#grant(server);
    else this.#endPrompt(server, owner, consent, refused);
    return consent.granted;
  }

  /** Ends a question that brought no consent. A refusal also settles the questions to other owners. */
  #endPrompt(server: ConfiguredServer, owner: QuestionOwner, { prompts }: PendingConsent, refused: boolean): void {
    const key = consentKey(server);
    // The workspace is not asked again after a question without an answer.
    if (refused || owner === "workspace") this.#refused.add(key);
    prompts.delete(ownerKeyOf(owner));
    if (refused || prompts.size === 0) this.#settle(key);
  }

  /** Applies the consent to this host even if it can't be stored. Returns the error in that case. */
  async #grant(server: ConfiguredServer): Promise<HostError | undefined> {
    const { trust, emit, onChanged } = this.#options;
    const pending = this.#describe(server);
    if (!pending) return undefined;
    const key = consentKey(server);
    const consent = this.#pendingConsents.get(key);
    if (consent) consent.granted = true;
    let failure: HostError | undefined;
    try {
      await trust.grant(pending, pending.definition);
    } catch (thrown) {
      failure = toHostError(thrown);
      emit({ type: "state.failed", error: failure.toJSON() });
    }
    await onChanged();
    // Must come last: until the config is read again, the server still waits and may be asked about.
    this.#refused.delete(key);
    this.#settle(key);
    return failure;
  }

  #settle(key: string): void {
    this.#pendingConsents.get(key)?.settled.abort();
    this.#pendingConsents.delete(key);
  }
}

function ownerKeyOf(owner: QuestionOwner): string {
  return owner === "workspace" ? owner : owner.id;
}

/** Identifies the definition that a consent applies to. */
function consentKey(server: ConfiguredServer): string {
  return `${server.id} ${definitionHash(server)}`;
}
