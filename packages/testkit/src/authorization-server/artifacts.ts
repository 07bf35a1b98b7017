/** What an authorization server has issued: clients, grants, codes and tokens, in memory, for tests to look at and spoil. */

/** The names under which the provider keeps them. */
export type Model = "Client" | "Grant" | "AccessToken" | "RefreshToken" | "AuthorizationCode" | "ClientCredentials";

interface Payload {
  readonly [name: string]: unknown;
  consumed?: number;
}

export class Artifacts {
  readonly #kept = new Map<string, Map<string, Payload>>();

  /** The provider asks for one of these per model. Ids of tokens are the tokens themselves, unless they are JWTs. */
  readonly adapter = (model: string) => ({
    upsert: async (id: string, payload: Payload) => void this.#of(model).set(id, payload),
    find: async (id: string) => this.#of(model).get(id),
    findByUid: async (uid: string) => this.#by(model, "uid", uid),
    findByUserCode: async (userCode: string) => this.#by(model, "userCode", userCode),
    destroy: async (id: string) => void this.#of(model).delete(id),
    consume: async (id: string) => {
      const payload = this.#of(model).get(id);
      if (payload) payload.consumed = Math.floor(Date.now() / 1000);
    },
    revokeByGrantId: async (grantId: string) => {
      for (const [id, payload] of this.#of(model)) if (payload["grantId"] === grantId) this.#of(model).delete(id);
    },
  });

  /** Those that could still be used. */
  ids(model: Model): string[] {
    return [...this.#of(model)].filter(([, { consumed }]) => consumed === undefined).map(([id]) => id);
  }

  set(model: Model, id: string, payload: Payload): void {
    this.#of(model).set(id, payload);
  }

  clear(...models: readonly Model[]): void {
    for (const model of models) this.#of(model).clear();
  }

  #of(model: string): Map<string, Payload> {
    const kept = this.#kept.get(model) ?? new Map<string, Payload>();
    this.#kept.set(model, kept);
    return kept;
  }

  #by(model: string, name: string, value: string): Payload | undefined {
    return [...this.#of(model).values()].find((payload) => payload[name] === value);
  }
}
