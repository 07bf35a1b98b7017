/** Tools that a server offers and that can't be used. The first are kept with the reason, the others are counted. */
export interface DroppedTool {
  readonly tool: string;
  readonly reason: string;
}

const MAX_NAMED = 100;

export class DroppedTools {
  readonly named: DroppedTool[] = [];
  /** How many came after those that are kept. */
  unnamedCount = 0;

  add(dropped: DroppedTool): void {
    if (this.named.length < MAX_NAMED) this.named.push(dropped);
    else this.unnamedCount += 1;
  }

  /** For a reader, who is told that there are others. */
  get list(): readonly DroppedTool[] {
    return this.unnamedCount === 0
      ? this.named
      : [...this.named, { tool: "…", reason: `and ${this.unnamedCount} more` }];
  }
}
