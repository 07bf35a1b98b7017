/** Consent to what a project's files define: what waits for it, asking for it, and keeping it. */
import { HostError } from "@plugboard/contracts";
import type { PendingServer, QuestionOwner } from "@plugboard/contracts";
import type { ConfiguredServer, ServerDefinition } from "../config/definition.ts";
import { wholeEntry } from "../config/redacted-entry.ts";
import type { Inbox } from "../inbox/inbox.ts";
import { jsonChanges } from "../policy/tool-changes.ts";
import { definitionHash, variablesOf } from "../trust/definition-hash.ts";
import { trustQuestion } from "../trust/trust-question.ts";
import type { Trust } from "../trust/trust.ts";

export interface TrustingOptions {
  readonly trust: Trust;
  readonly inbox: Inbox;
  /** What waits now. */
  readonly pending: () => readonly ConfiguredServer[];
  /** The config is to be read again: something is trusted, or no longer. */
  readonly onChanged: () => Promise<void>;
  readonly released: AbortSignal;
}

export class Trusting {
  readonly #options: TrustingOptions;
  /** By id and hash: one question, however many want the answer. */
  readonly #asking = new Map<string, Promise<boolean>>();
  /** What was put to the owner: whoever did not want to answer is not asked again. */
  readonly #asked = new Set<string>();

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
      return [
        { id, source, folder, transport, hash: definitionHash(server), definition: whole, variables, ...changes },
      ];
    });
  }

  /** Nothing waits under that id, or it is agreed to; else SERVER_UNTRUSTED. */
  async want(id: string, owner: QuestionOwner | undefined, signal?: AbortSignal): Promise<void> {
    const server = this.#find(id);
    if (!server) return;
    if (owner !== undefined && (await this.#ask(server, owner, signal))) return;
    throw new HostError("SERVER_UNTRUSTED", { server: id, source: server.source, folder: server.folder });
  }

  /** Puts everything that waits to whoever owns the workspace, once, and waits for nobody. */
  askAll(): void {
    for (const server of this.#options.pending()) {
      const key = keyOf(server);
      if (this.#asked.has(key)) continue;
      this.#asked.add(key);
      // That a consent could not be kept is told by whoever keeps it.
      void this.#ask(server, "workspace").catch(() => {});
    }
  }

  async grant(id: string, hash: string): Promise<void> {
    const server = this.#find(id);
    if (!server) throw new HostError("NOT_FOUND", { what: `definition of "${id}" that waits for consent` });
    if (definitionHash(server) !== hash) {
      throw new HostError("NOT_FOUND", {
        what: `such definition of "${id}" any more: it has changed since it was shown`,
      });
    }
    await this.#grant(server);
  }

  async revoke(server: ConfiguredServer): Promise<void> {
    // Whoever takes a consent back does not want to be asked for it.
    this.#asked.add(keyOf(server));
    await this.#options.trust.revoke({ folder: server.folder, id: server.id });
    await this.#options.onChanged();
  }

  #find(id: string): ConfiguredServer | undefined {
    return this.#options.pending().findLast((server) => server.id === id);
  }

  #ask(server: ConfiguredServer, owner: QuestionOwner, signal?: AbortSignal): Promise<boolean> {
    const key = keyOf(server);
    const asking = this.#asking.get(key) ?? this.#askOnce(server, owner).finally(() => this.#asking.delete(key));
    this.#asking.set(key, asking);
    return signal ? unlessGivenUp(asking, signal) : asking;
  }

  async #askOnce(server: ConfiguredServer, owner: QuestionOwner): Promise<boolean> {
    const { inbox, trust, released } = this.#options;
    const { id, source, folder, definition } = server;
    if ("invalid" in definition) return false;
    const before = trust.before({ folder, id });
    const about = { id, source, folder, transport: definition.transport };
    const question = { definition: shown(server, definition), variables: variablesOf(server), before };
    const settlement = await inbox.ask(trustQuestion({ owner, server: about, ...question }), released);
    const yes =
      settlement.by === "answered" && settlement.answer.type === "trust" && settlement.answer.decision === "yes";
    if (yes) await this.#grant(server);
    return yes;
  }

  async #grant(server: ConfiguredServer): Promise<void> {
    const { source, folder, id, definition } = server;
    if ("invalid" in definition) return;
    const hash = definitionHash(server);
    await this.#options.trust.grant({ source, folder, id, hash }, shown(server, definition));
    await this.#options.onChanged();
  }
}

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

function unlessGivenUp<T>(waited: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(new HostError("CANCELLED", { reason: "the caller gave up" }));
    if (signal.aborted) return giveUp();
    signal.addEventListener("abort", giveUp, { once: true });
    void waited.then(resolve, reject).finally(() => signal.removeEventListener("abort", giveUp));
  });
}
