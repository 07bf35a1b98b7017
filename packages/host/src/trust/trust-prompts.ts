/**
 * Consent to what a project's files define: what waits for it, asking for it,
 * and keeping it. What somebody has said no to is not asked again by itself,
 * only by whoever wants the server.
 */
import { abortable, cancelled, HostError, toHostError } from "@plugboard/contracts";
import type { HostEventData, PendingServer, QuestionOwner, ConfigSource } from "@plugboard/contracts";
import type { ConfiguredServer, ServerDefinition } from "../config/definition/definition.ts";
import { unmaskedEntry } from "../redaction/redacted-entry.ts";
import type { QuestionInbox } from "../inbox/question-inbox.ts";
import { diffJson } from "../lib/json-diff.ts";
import { definitionHash, variablesOf } from "./definition-hash.ts";
import { trustQuestion } from "./trust-question.ts";
import type { TrustStore } from "./trust-store.ts";
import { untrustedError } from "./untrusted-servers.ts";

export interface TrustPromptsOptions {
  readonly trust: TrustStore;
  readonly inbox: QuestionInbox;
  readonly emit: (event: HostEventData) => void;
  /** What has that id now. */
  readonly activeServer: (id: string) => ConfiguredServer | undefined;
  /** What waits now. */
  readonly pending: () => readonly ConfiguredServer[];
  /** The config is to be read again: something is trusted, or no longer. */
  readonly onChanged: () => Promise<void>;
  readonly released: AbortSignal;
}

/** One definition that somebody is being asked about. */
interface PendingConsent {
  /** By owner: one question each, however many want the answer. The first answer is the answer to all of them. */
  readonly prompts: Map<string, TrustPrompt>;
  readonly settled: AbortController;
  granted: boolean;
}

interface TrustPrompt {
  readonly granted: Promise<boolean>;
  /** How many want to know; when the last of them has given up, nobody is asked any more. */
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
    return this.#options.pending().flatMap((server) => {
      const { id, source, folder, definition } = server;
      if ("invalid" in definition) return [];
      const whole = displayedDefinition(server, definition);
      const before = this.#options.trust.lastTrustedDefinition({ folder, id });
      const changes = before && { changes: diffJson(before, whole) };
      const { transport } = definition;
      const variables = variablesOf(server).toSorted();
      const replaces = this.#replaces(id);
      return [
        {
          id,
          source,
          folder,
          transport,
          hash: definitionHash(server),
          definition: whole,
          variables,
          ...changes,
          ...(replaces && { replaces }),
        },
      ];
    });
  }

  /** Nothing waits under that id, or it is agreed to; else SERVER_UNTRUSTED. A front may not even ask. */
  async ensureTrusted(id: string, owner: QuestionOwner | undefined, signal?: AbortSignal): Promise<void> {
    const server = this.#find(id);
    if (!server) return;
    const mayAsk = owner !== undefined && (owner === "workspace" || owner.kind !== "front");
    if (mayAsk && (await this.#ask(server, owner, signal))) return;
    throw untrustedError(server);
  }

  /** Puts everything that waits to whoever owns the workspace, and waits for nobody. */
  askAll(): void {
    for (const server of this.#options.pending()) {
      const key = consentKey(server);
      if (!this.#refused.has(key) && !this.#pendingConsents.has(key)) void this.#ask(server, "workspace");
    }
  }

  /** The config is another: what waits no longer is not asked about any more. */
  onConfigChange(): void {
    const pendingKeys = new Set(this.#options.pending().map(consentKey));
    for (const key of [...this.#pendingConsents.keys()]) if (!pendingKeys.has(key)) this.#settle(key);
  }

  /** Rejects if the consent can't be stored. It then applies until this host ends. */
  async grant(id: string, hash: string): Promise<void> {
    const server = this.#find(id);
    if (!server) throw new HostError("NOT_FOUND", { subject: `definition of "${id}" that waits for consent` });
    if (definitionHash(server) !== hash) {
      throw new HostError("NOT_FOUND", {
        subject: `such definition of "${id}" any more: it has changed since it was shown`,
      });
    }
    const failure = await this.#grant(server);
    if (failure) throw failure;
  }

  async revoke(server: ConfiguredServer): Promise<void> {
    // First: that the consent is gone may be noticed before this goes on.
    this.#refused.add(consentKey(server));
    await this.#options.trust.revoke({ folder: server.folder, id: server.id });
    await this.#options.onChanged();
  }

  #replaces(id: string): ConfigSource | undefined {
    return this.#options.activeServer(id)?.source;
  }

  #find(id: string): ConfiguredServer | undefined {
    return this.#options.pending().findLast((server) => server.id === id);
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
    // A program answers for its workspaces, too: it is not asked twice.
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
    const { inbox, trust, released } = this.#options;
    const { id, source, folder, definition } = server;
    if ("invalid" in definition) return false;
    const before = trust.lastTrustedDefinition({ folder, id });
    const about = { id, source, folder, transport: definition.transport };
    const question = {
      definition: displayedDefinition(server, definition),
      variables: variablesOf(server),
      before,
      replaces: this.#replaces(id),
    };
    const cancelled = AbortSignal.any([released, consent.settled.signal, abandoned]);
    const settlement = await inbox.ask(trustQuestion({ owner, server: about, ...question }), cancelled);
    if (consent.settled.signal.aborted) return consent.granted;
    const decision = settlement.by === "answered" && settlement.answer.type === "trust" && settlement.answer.decision;
    if (decision === "yes") await this.#grant(server);
    else this.#handleRefusal(server, owner, consent, decision === "no");
    return consent.granted;
  }

  /** Who has not answered at all speaks for nobody else. */
  #handleRefusal(server: ConfiguredServer, owner: QuestionOwner, { prompts }: PendingConsent, refused: boolean): void {
    const key = consentKey(server);
    if (refused || owner === "workspace") this.#refused.add(key);
    prompts.delete(ownerKeyOf(owner));
    if (refused || prompts.size === 0) this.#settle(key);
  }

  /** Applies the consent to this host even if it can't be stored. Returns the error in that case. */
  async #grant(server: ConfiguredServer): Promise<HostError | undefined> {
    const { trust, emit, onChanged } = this.#options;
    const { source, folder, id, definition } = server;
    if ("invalid" in definition) return undefined;
    const key = consentKey(server);
    const consent = this.#pendingConsents.get(key);
    if (consent) consent.granted = true;
    let failure: HostError | undefined;
    try {
      await trust.grant({ source, folder, id, hash: definitionHash(server) }, displayedDefinition(server, definition));
    } catch (thrown) {
      failure = toHostError(thrown);
      emit({ type: "state.failed", error: failure.toJSON() });
    }
    await onChanged();
    // Only now: until then it waits, and somebody may be about to ask.
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

/** What a consent is to. */
function consentKey(server: ConfiguredServer): string {
  return `${server.id} ${definitionHash(server)}`;
}

/** With where it starts from: the same words in another folder are another thing. */
function displayedDefinition({ file, folder, enabledBy }: ConfiguredServer, definition: ServerDefinition) {
  return {
    ...unmaskedEntry(definition),
    file,
    folder,
    ...(enabledBy !== undefined && { switched_on_by: enabledBy }),
  };
}
