/** Decodes a text file. Returns its byte order mark separately, so that it can be written back. */

export interface DecodedText {
  readonly text: string;
  /** The byte order mark, or an empty string. */
  readonly bom: string;
}

const BOM = "\uFEFF";

/** Returns undefined for a binary file: a file that contains a NUL character, or is not valid UTF-8. */
export function decodeText(bytes: Uint8Array): DecodedText | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.startsWith(BOM) ? { text: text.slice(1), bom: BOM } : { text, bom: "" };
  } catch {
    return undefined;
  }
}
