/** Chooses the names under which secrets of imported servers are stored, so that none replaces the secret of another server. */
export class SecretNames {
  readonly #stored: ReadonlySet<string>;
  readonly #chosen = new Map<string, string>();

  constructor(stored: ReadonlySet<string>) {
    this.#stored = stored;
  }

  /** `own` has the names of the secrets that may be replaced. */
  choose(wanted: string, value: string, own: ReadonlySet<string>): string {
    const isFree = (name: string) =>
      this.#chosen.has(name) ? this.#chosen.get(name) === value : !this.#stored.has(name) || own.has(name);
    let name = wanted;
    for (let number = 2; !isFree(name); number++) name = `${wanted}-${number}`;
    this.#chosen.set(name, value);
    return name;
  }
}
