/** What can't be sent as a header. Values are never quoted. */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const INVALID_VALUE_CHARACTER = /[^\t\x20-\x7e\x80-\xff]/;

export function validateHeader(name: string, value = ""): string | undefined {
  if (!HEADER_NAME.test(name)) return "is no name of a header";
  return INVALID_VALUE_CHARACTER.test(value)
    ? "has a line break or another character that no header may have"
    : undefined;
}
