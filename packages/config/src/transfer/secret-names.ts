/**
 * Chooses the names under which secrets of imported servers are stored, so that none replaces the secret of another
 * server.
 */
import type { SecretUsers } from "./read-stored-secrets.ts";

export class SecretNames {
  readonly #stored: SecretUsers;
  /** The values of the secrets by their chosen names. */
  readonly #chosen = new Map<string, string>();

  constructor(stored: SecretUsers) {
    this.#stored = stored;
  }

  /** `replaced` has the names that the replaced definition of the server refers to. */
  choose(wanted: string, value: string, server: string, replaced: ReadonlySet<string>): string {
    const isFree = (name: string) => {
      if (this.#chosen.has(name)) return this.#chosen.get(name) === value;
      const users = this.#stored.get(name);
      return !users || (replaced.has(name) && users.every((user) => user === server));
    };
    let name = wanted;
    for (let number = 2; !isFree(name); number++) name = `${wanted}-${number}`;
    this.#chosen.set(name, value);
    return name;
  }
}
