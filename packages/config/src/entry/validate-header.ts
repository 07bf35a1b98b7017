/** Validates HTTP headers. The error messages never quote a value. */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const INVALID_VALUE_CHARACTER = /[^\t\x20-\x7e\x80-\xff]/;

export function validateHeader(name: string, value = ""): string | undefined {
  if (!HEADER_NAME.test(name)) return "is not a valid header name";
  return INVALID_VALUE_CHARACTER.test(value)
    ? "has a line break or another character that is not allowed in a header"
    : undefined;
}
