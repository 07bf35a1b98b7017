/** Knows which tools of a server have asked questions during their calls, and which have not. */
export class AskingTools {
  readonly #known = new Map<string, "asks" | "quiet">();

  /** True until a call has ended without a question. Requests that are no calls are taken for quiet ones. */
  mayAsk(tool: string | undefined): boolean {
    return tool !== undefined && this.#known.get(tool) !== "quiet";
  }

  hasAsked(tool: string | undefined): boolean {
    return tool !== undefined && this.#known.get(tool) === "asks";
  }

  onAsked(tool: string): void {
    this.#known.set(tool, "asks");
  }

  /** Called when a call has ended, or has run for long, without a question. Tools that have asked before may ask again. */
  onQuiet(tool: string): void {
    if (!this.#known.has(tool)) this.#known.set(tool, "quiet");
  }
}
