/**
 * The definitions whose secrets a workspace fetches, or could not fetch. Every workspace of the host can show this state,
 * because a status fetches no secrets.
 */
import type { HostError } from "@plugboard/contracts";

export type SecretsState = { readonly state: "fetching" } | { readonly state: "failed"; readonly error: HostError };

export class PendingSecrets {
  /** By the shared key of the definition, then by the server of the workspace that fetches its secrets. */
  readonly #states = new Map<string, Map<object, SecretsState>>();

  /** Undefined removes the state. */
  set(sharedKey: string, server: object, state: SecretsState | undefined): void {
    const states = this.#states.get(sharedKey) ?? new Map<object, SecretsState>();
    if (state) states.set(server, state);
    else states.delete(server);
    if (states.size > 0) this.#states.set(sharedKey, states);
    else this.#states.delete(sharedKey);
  }

  get(sharedKey: string): SecretsState | undefined {
    const states = [...(this.#states.get(sharedKey)?.values() ?? [])];
    return states.find(({ state }) => state === "fetching") ?? states[0];
  }
}
