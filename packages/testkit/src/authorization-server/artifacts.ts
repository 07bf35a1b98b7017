/**
 * The store of an authorization server of the package `oidc-provider`: clients, grants, codes and tokens. It is in
 * memory, so that tests can read and change it.
 */

/** The kinds of stored objects, as `oidc-provider` names them. */
export type ArtifactModel =
  | "Client"
  | "Grant"
  | "AccessToken"
  | "RefreshToken"
  | "AuthorizationCode"
  | "ClientCredentials";

interface Payload {
  readonly [name: string]: unknown;
  consumed?: number;
}

export class Artifacts {
  readonly #byModel = new Map<string, Map<string, Payload>>();

  /** Creates the adapter that `oidc-provider` needs for each model. The id of an opaque token is the token itself. */
  readonly adapter = (model: string) => ({
    upsert: async (id: string, payload: Payload) => void this.#entries(model).set(id, payload),
    find: async (id: string) => this.#entries(model).get(id),
    findByUid: async (uid: string) => this.#findBy(model, "uid", uid),
    findByUserCode: async (userCode: string) => this.#findBy(model, "userCode", userCode),
    destroy: async (id: string) => void this.#entries(model).delete(id),
    consume: async (id: string) => {
      const payload = this.#entries(model).get(id);
      if (payload) payload.consumed = Math.floor(Date.now() / 1000);
    },
    revokeByGrantId: async (grantId: string) => {
      for (const [id, payload] of this.#entries(model))
        if (payload["grantId"] === grantId) this.#entries(model).delete(id);
    },
  });

  /** Returns the ids of the entries that have not been used up. */
  ids(model: ArtifactModel): string[] {
    return [...this.#entries(model)].filter(([, { consumed }]) => consumed === undefined).map(([id]) => id);
  }

  set(model: ArtifactModel, id: string, payload: Payload): void {
    this.#entries(model).set(id, payload);
  }

  clear(...models: readonly ArtifactModel[]): void {
    for (const model of models) this.#entries(model).clear();
  }

  #entries(model: string): Map<string, Payload> {
    const entries = this.#byModel.get(model) ?? new Map<string, Payload>();
    this.#byModel.set(model, entries);
    return entries;
  }

  #findBy(model: string, name: string, value: string): Payload | undefined {
    return [...this.#entries(model).values()].find((payload) => payload[name] === value);
  }
}
