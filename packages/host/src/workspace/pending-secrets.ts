/**
 * The definitions whose secrets are being fetched, or could not be fetched. All workspaces of the host share this
 * state, so that each can show it in its status without fetching the secrets itself.
 */
import type { HostError } from "@plugboard/contracts";

export type SecretsState = { readonly state: "fetching" } | { readonly state: "failed"; readonly error: HostError };

export class PendingSecrets {
  /** By the shared key of the definition, then by the server object of the workspace that fetches its secrets. */
  readonly #states = new Map<string, Map<object, SecretsState>>();

  /** Sets the state of a server. With undefined, removes it. */
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
