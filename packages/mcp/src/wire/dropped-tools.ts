/** Tools that a server offers and that can't be used. The first are kept with the reason, the others are counted. */
export interface DroppedTool {
  readonly tool: string;
  readonly reason: string;
}

const MAX_KEPT = 100;

export class DroppedTools {
  readonly kept: DroppedTool[] = [];
  /** How many came after those that are kept. */
  more = 0;

  add(dropped: DroppedTool): void {
    if (this.kept.length < MAX_KEPT) this.kept.push(dropped);
    else this.more += 1;
  }

  /** For a reader, who is told that there are others. */
  get list(): readonly DroppedTool[] {
    return this.more === 0 ? this.kept : [...this.kept, { tool: "…", reason: `and ${this.more} more` }];
  }
}
