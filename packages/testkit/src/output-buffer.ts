/** Collects output and waits until a pattern appears in it. */
export class OutputBuffer {
  #text = "";
  #closed: string | undefined;
  readonly #watchers = new Set<() => void>();

  get text(): string {
    return this.#text;
  }

  append(piece: string): void {
    this.#text += piece;
    this.#notify();
  }

  /** Called when no more output will come. Rejects all waits with the reason. */
  close(reason: string): void {
    this.#closed = reason;
    this.#notify();
  }

  /** Resolves with the offset after the first match at or after `from`. */
  waitFor(pattern: RegExp | string, timeoutMs: number, from = 0): Promise<number> {
    return new Promise((resolve, reject) => {
      const settle = (finish: () => void): void => {
        clearTimeout(timer);
        this.#watchers.delete(check);
        finish();
      };
      const fail = (reason: string): void => {
        const message = `${reason} before ${String(pattern)} appeared. Output so far:\n${this.#text}`;
        settle(() => reject(new Error(message)));
      };
      const check = (): void => {
        const end = endOfMatch(this.#text, pattern, from);
        if (end !== undefined) settle(() => resolve(end));
        else if (this.#closed !== undefined) fail(this.#closed);
      };
      const timer = setTimeout(() => fail(`${timeoutMs} ms passed`), timeoutMs);
      this.#watchers.add(check);
      check();
    });
  }

  #notify(): void {
    for (const check of [...this.#watchers]) check();
  }
}

function endOfMatch(text: string, pattern: RegExp | string, from: number): number | undefined {
  const rest = text.slice(from);
  if (typeof pattern === "string") {
    const start = rest.indexOf(pattern);
    return start < 0 ? undefined : from + start + pattern.length;
  }
  // A copy, because a global pattern remembers its last match.
  const match = new RegExp(pattern).exec(rest);
  return match ? from + match.index + match[0].length : undefined;
}
