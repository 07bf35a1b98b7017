/**
 * Consent to what a project's files define: what waits for it, asking for it,
 * and keeping it. What somebody has said no to is not asked again by itself,
 * only by whoever wants the server.
 */
import { HostError, toHostError } from "@plugboard/contracts";
import type { HostFact, PendingServer, QuestionOwner, Source } from "@plugboard/contracts";
import type { ConfiguredServer, ServerDefinition } from "../config/definition.ts";
import { wholeEntry } from "../config/redacted-entry.ts";
import type { Inbox } from "../inbox/inbox.ts";
import { jsonChanges } from "../policy/tool-changes.ts";
import { definitionHash, variablesOf } from "../trust/definition-hash.ts";
import { trustQuestion } from "../trust/trust-question.ts";
import type { Trust } from "../trust/trust.ts";
import { untrusted } from "./waiting-servers.ts";

export interface TrustingOptions {
  readonly trust: Trust;
  readonly inbox: Inbox;
  readonly state: (fact: HostFact) => void;
  /** What has that id now. */
  readonly inEffect: (id: string) => ConfiguredServer | undefined;
  /** What waits now. */
  readonly pending: () => readonly ConfiguredServer[];
  /** The config is to be read again: something is trusted, or no longer. */
  readonly onChanged: () => Promise<void>;
  readonly released: AbortSignal;
}

/** One definition that somebody is being asked about. */
interface Matter {
  /** By owner: one question each, however many want the answer. The first answer is the answer to all of them. */
  readonly asking: Map<string, Asking>;
  readonly over: AbortController;
  agreed: boolean;
}

interface Asking {
  readonly agreed: Promise<boolean>;
  /** How many want to know; when the last of them has given up, nobody is asked any more. */
  waiting: number;
  readonly unwanted: AbortController;
}

export class Trusting {
  readonly #options: TrustingOptions;
  readonly #matters = new Map<string, Matter>();
  readonly #refused = new Set<string>();

  constructor(options: TrustingOptions) {
    this.#options = options;
  }

  pending(): PendingServer[] {
    return this.#options.pending().flatMap((server) => {
      const { id, source, folder, definition } = server;
      if ("invalid" in definition) return [];
      const whole = shown(server, definition);
      const before = this.#options.trust.before({ folder, id });
      const changes = before && { changes: jsonChanges(before, whole) };
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
  async want(id: string, owner: QuestionOwner | undefined, signal?: AbortSignal): Promise<void> {
    const server = this.#find(id);
    if (!server) return;
    const asks = owner !== undefined && (owner === "workspace" || owner.kind !== "front");
    if (asks && (await this.#ask(server, owner, signal))) return;
    throw untrusted(server);
  }

  /** Puts everything that waits to whoever owns the workspace, and waits for nobody. */
  askAll(): void {
    for (const server of this.#options.pending()) {
      const key = keyOf(server);
      if (!this.#refused.has(key) && !this.#matters.has(key)) void this.#ask(server, "workspace");
    }
  }

  /** The config is another: what waits no longer is not asked about any more. */
  heed(): void {
    const waiting = new Set(this.#options.pending().map(keyOf));
    for (const key of [...this.#matters.keys()]) if (!waiting.has(key)) this.#settle(key);
  }

  /** Rejects if the consent can't be stored. It then applies until this host ends. */
  async grant(id: string, hash: string): Promise<void> {
    const server = this.#find(id);
    if (!server) throw new HostError("NOT_FOUND", { what: `definition of "${id}" that waits for consent` });
    if (definitionHash(server) !== hash) {
      throw new HostError("NOT_FOUND", {
        what: `such definition of "${id}" any more: it has changed since it was shown`,
      });
    }
    const failure = await this.#grant(server);
    if (failure) throw failure;
  }

  async revoke(server: ConfiguredServer): Promise<void> {
    // First: that the consent is gone may be noticed before this goes on.
    this.#refused.add(keyOf(server));
    await this.#options.trust.revoke({ folder: server.folder, id: server.id });
    await this.#options.onChanged();
  }

  #replaces(id: string): Source | undefined {
    return this.#options.inEffect(id)?.source;
  }

  #find(id: string): ConfiguredServer | undefined {
    return this.#options.pending().findLast((server) => server.id === id);
  }

  #ask(server: ConfiguredServer, owner: QuestionOwner, signal?: AbortSignal): Promise<boolean> {
    const key = keyOf(server);
    const matter = this.#matters.get(key) ?? { asking: new Map(), over: new AbortController(), agreed: false };
    this.#matters.set(key, matter);
    const who = whoIs(owner);
    // A program answers for its workspaces, too: it is not asked twice.
    const asked = owner !== "workspace" && owner.kind === "program" ? matter.asking.get("workspace") : undefined;
    const asking = asked ?? matter.asking.get(who) ?? this.#begin(server, owner, matter);
    asking.waiting += 1;
    if (!signal) return asking.agreed;
    return unlessGivenUp(asking.agreed, signal, () => {
      asking.waiting -= 1;
      if (asking.waiting === 0) asking.unwanted.abort();
    });
  }

  #begin(server: ConfiguredServer, owner: QuestionOwner, matter: Matter): Asking {
    const unwanted = new AbortController();
    const asking = { agreed: this.#askOnce(server, owner, matter, unwanted.signal), waiting: 0, unwanted };
    matter.asking.set(whoIs(owner), asking);
    return asking;
  }

  async #askOnce(
    server: ConfiguredServer,
    owner: QuestionOwner,
    matter: Matter,
    unwanted: AbortSignal,
  ): Promise<boolean> {
    const { inbox, trust, released } = this.#options;
    const { id, source, folder, definition } = server;
    if ("invalid" in definition) return false;
    const before = trust.before({ folder, id });
    const about = { id, source, folder, transport: definition.transport };
    const question = {
      definition: shown(server, definition),
      variables: variablesOf(server),
      before,
      replaces: this.#replaces(id),
    };
    const over = AbortSignal.any([released, matter.over.signal, unwanted]);
    const settlement = await inbox.ask(trustQuestion({ owner, server: about, ...question }), over);
    if (matter.over.signal.aborted) return matter.agreed;
    const said = settlement.by === "answered" && settlement.answer.type === "trust" && settlement.answer.decision;
    if (said === "yes") await this.#grant(server);
    else this.#notAgreed(server, owner, matter, said === "no");
    return matter.agreed;
  }

  /** Who has not answered at all speaks for nobody else. */
  #notAgreed(server: ConfiguredServer, owner: QuestionOwner, { asking }: Matter, refused: boolean): void {
    const key = keyOf(server);
    if (refused || owner === "workspace") this.#refused.add(key);
    asking.delete(whoIs(owner));
    if (refused || asking.size === 0) this.#settle(key);
  }

  /** Applies the consent to this host even if it can't be stored. Returns the error in that case. */
  async #grant(server: ConfiguredServer): Promise<HostError | undefined> {
    const { trust, state, onChanged } = this.#options;
    const { source, folder, id, definition } = server;
    if ("invalid" in definition) return undefined;
    const key = keyOf(server);
    const matter = this.#matters.get(key);
    if (matter) matter.agreed = true;
    let failure: HostError | undefined;
    try {
      await trust.grant({ source, folder, id, hash: definitionHash(server) }, shown(server, definition));
    } catch (thrown) {
      failure = toHostError(thrown);
      state({ type: "state.failed", error: failure.toJSON() });
    }
    await onChanged();
    // Only now: until then it waits, and somebody may be about to ask.
    this.#refused.delete(key);
    this.#settle(key);
    return failure;
  }

  #settle(key: string): void {
    this.#matters.get(key)?.over.abort();
    this.#matters.delete(key);
  }
}

function whoIs(owner: QuestionOwner): string {
  return owner === "workspace" ? owner : owner.id;
}

/** What a consent is to. */
function keyOf(server: ConfiguredServer): string {
  return `${server.id} ${definitionHash(server)}`;
}

/** With where it starts from: the same words in another folder are another thing. */
function shown({ file, folder, switchedOnBy }: ConfiguredServer, definition: ServerDefinition) {
  return {
    ...wholeEntry(definition),
    file,
    folder,
    ...(switchedOnBy !== undefined && { switched_on_by: switchedOnBy }),
  };
}

function unlessGivenUp<T>(waited: Promise<T>, signal: AbortSignal, onGivenUp: () => void): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = () => {
      onGivenUp();
      reject(new HostError("CANCELLED", { reason: "the caller gave up" }));
    };
    if (signal.aborted) return giveUp();
    signal.addEventListener("abort", giveUp, { once: true });
    void waited.then(resolve, reject).finally(() => signal.removeEventListener("abort", giveUp));
  });
}
