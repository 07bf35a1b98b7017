/** Makes and parses the cursors that clients of the gateway see. A cursor names the list and the position in it. */
export function outwardCursor(list: string, offset: number): string {
  return Buffer.from(`${list}:${offset}`).toString("base64url");
}

/** Returns undefined for a cursor that the gateway has not made for this list. */
export function parseOutwardCursor(list: string, cursor: string): number | undefined {
  const text = Buffer.from(cursor, "base64url").toString();
  const colon = text.lastIndexOf(":");
  const offset = Number(text.slice(colon + 1));
  return outwardCursor(list, offset) === cursor && Number.isSafeInteger(offset) && offset > 0 ? offset : undefined;
}
