/** Reads a list of server ids, such as `github,linear`. */
export function splitIds(text: string): string[] {
  return text
    .split(",")
    .map((id) => id.trim())
    .filter((id) => id !== "");
}
