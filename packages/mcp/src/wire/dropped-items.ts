/** An item of a server's list that cannot be used. */
export interface DroppedItem {
  readonly name: string;
  readonly reason: string;
}

const MAX_NAMED = 100;

/** Collects the unusable items of a list. Keeps name and reason of the first ones, and only counts the others. */
export class DroppedItems {
  readonly named: DroppedItem[] = [];
  unnamedCount = 0;

  add(dropped: DroppedItem): void {
    if (this.named.length < MAX_NAMED) this.named.push(dropped);
    else this.unnamedCount += 1;
  }

  /** Returns the named items, and one entry for the number of others. */
  get list(): readonly DroppedItem[] {
    return this.unnamedCount === 0
      ? this.named
      : [...this.named, { name: "…", reason: `and ${this.unnamedCount} more` }];
  }
}
