/** Splits streamed text so that no emoji is cut in two, because its parts would look like hidden characters. */

/** The beginning of an emoji that the next piece may continue. */
const OPEN_END = /(?:[0-9#*]|[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f\u200d]+|[\ud800-\udbff])$/u;

export class StreamedText {
  #held = "";

  /** Returns the text that can be shown now. */
  add(piece: string): string {
    const text = this.#held + piece;
    this.#held = OPEN_END.exec(text)?.[0] ?? "";
    return text.slice(0, text.length - this.#held.length);
  }

  /** Returns the rest. */
  end(): string {
    const held = this.#held;
    this.#held = "";
    return held;
  }
}
