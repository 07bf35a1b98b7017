/** Encodes and decodes header values of the modern revision, which may contain text that headers can't. */

/** Encodes as base64 unless the text is plain ASCII without outer spaces and does not look encoded itself. */
export function encodeHeaderValue(text: string): string {
  const plain = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !/^=\?base64\?.*\?=$/.test(text);
  return plain ? text : `=?base64?${Buffer.from(text, "utf8").toString("base64")}?=`;
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Returns undefined if the value is marked as base64 but is not valid base64. */
export function decodeHeaderValue(value: string): string | undefined {
  const encoded = /^=\?base64\?(.*)\?=$/.exec(value)?.[1];
  if (encoded === undefined) return value;
  return BASE64.test(encoded) ? Buffer.from(encoded, "base64").toString("utf8") : undefined;
}
