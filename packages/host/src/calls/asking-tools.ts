/** Remembers which tools of a server have asked questions during their calls, and which have run without a question. */
export class AskingTools {
  readonly #known = new Map<string, "asks" | "quiet">();

  /** False after a call of the tool has ended without a question. False also for requests that are no tool calls. */
  mayAsk(tool: string | undefined): boolean {
    return tool !== undefined && this.#known.get(tool) !== "quiet";
  }

  hasAsked(tool: string | undefined): boolean {
    return tool !== undefined && this.#known.get(tool) === "asks";
  }

  onAsked(tool: string): void {
    this.#known.set(tool, "asks");
  }

  /**
   * Called when a call has ended, or has run for long, without a question. Tools that have asked before may ask again.
   */
  onQuiet(tool: string): void {
    if (!this.#known.has(tool)) this.#known.set(tool, "quiet");
  }
}
