/** What can't be sent as a header. Values are never quoted. */
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const UNSENDABLE = /[^\t\x20-\x7e\x80-\xff]/;

export function wrongHeader(name: string, value = ""): string | undefined {
  if (!NAME.test(name)) return "is no name of a header";
  return UNSENDABLE.test(value) ? "has a line break or another character that no header may have" : undefined;
}
