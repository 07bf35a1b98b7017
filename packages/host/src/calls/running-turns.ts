/** A set of running calls. Calls with equal keys may run at the same time: `isFreeFor` checks this in constant time. */
export class RunningTurns<Turn extends object, Key> {
  readonly #turns = new Set<Turn>();
  readonly #keyOf: (turn: Turn) => Key;
  /** The key of one of the turns. `#others` is the number of turns with other keys. */
  #key: Key | undefined;
  #others = 0;

  constructor(keyOf: (turn: Turn) => Key) {
    this.#keyOf = keyOf;
  }

  get size(): number {
    return this.#turns.size;
  }

  /** Returns whether no turn with another key runs. */
  isFreeFor(key: Key): boolean {
    return this.#turns.size === 0 || (this.#others === 0 && this.#key === key);
  }

  has(turn: Turn): boolean {
    return this.#turns.has(turn);
  }

  add(turn: Turn): void {
    if (this.#turns.has(turn)) return;
    const key = this.#keyOf(turn);
    if (this.#turns.size === 0) this.#key = key;
    else if (key !== this.#key) this.#others += 1;
    this.#turns.add(turn);
  }

  /** Returns false if the turn does not run. */
  delete(turn: Turn): boolean {
    if (!this.#turns.delete(turn)) return false;
    if (this.#keyOf(turn) !== this.#key) this.#others -= 1;
    else if (this.#others > 0 && this.#others === this.#turns.size) this.#countOthers();
    return true;
  }

  list(): Turn[] {
    return [...this.#turns];
  }

  some(matches: (turn: Turn) => boolean): boolean {
    for (const turn of this.#turns) if (matches(turn)) return true;
    return false;
  }

  /** Chooses a new `#key` when the last turn with the old key has ended. */
  #countOthers(): void {
    const keys = this.list().map(this.#keyOf);
    this.#key = keys[0];
    this.#others = keys.filter((key) => key !== this.#key).length;
  }
}
