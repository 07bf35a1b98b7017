/**
 * Remembers which tools of a server have asked questions during their calls, and which have run without a question.
 * Until it is known how the server asks, only calls of tools that may ask take turns: see `caller-queue.ts`.
 */
export class AskingTools {
  readonly #known = new Map<string, "asks" | "quiet">();

  /**
   * Returns false for a tool that has run without a question and has never asked. Returns false also for requests that
   * are no tool calls.
   */
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
