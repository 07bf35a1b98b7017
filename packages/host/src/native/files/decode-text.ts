/** Decodes a text file. Keeps its byte order mark apart, so that it can be written back. */

export interface DecodedText {
  readonly text: string;
  /** The byte order mark, or an empty string. */
  readonly bom: string;
}

const BOM = "\uFEFF";

/** Returns undefined for a binary file: one with a NUL character, or one that is not valid UTF-8. */
export function decodeText(bytes: Uint8Array): DecodedText | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.startsWith(BOM) ? { text: text.slice(1), bom: BOM } : { text, bom: "" };
  } catch {
    return undefined;
  }
}
