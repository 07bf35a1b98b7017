/** Makes valid and distinct server ids from the names that other clients allow. */
import { validateServerId } from "../../entry/validate-server-id.ts";

const MAX_LENGTH = 64;

/** Returns the id of each name. A valid name is its own id, unless that is taken. Adds the ids to `taken`. */
export function assignServerIds(names: readonly string[], taken: Set<string>): ReadonlyMap<string, string> {
  const isValid = (name: string) => validateServerId(name) === undefined;
  const ids = new Map<string, string>();
  // Valid names come first, so that no changed name takes their place.
  for (const name of [...names.filter(isValid), ...names.filter((other) => !isValid(other))]) {
    const id = makeDistinct(isValid(name) ? name : makeValid(name), taken);
    taken.add(id);
    ids.set(name, id);
  }
  return ids;
}

function makeDistinct(base: string, taken: ReadonlySet<string>): string {
  let id = base;
  for (let number = 2; taken.has(id); number++) {
    const suffix = `-${number}`;
    id = base.slice(0, MAX_LENGTH - suffix.length) + suffix;
  }
  return id;
}

function makeValid(name: string): string {
  const id = name
    .slice(0, 4 * MAX_LENGTH)
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(/[^a-zA-Z0-9_-]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, MAX_LENGTH);
  if (id === "") return "server";
  return validateServerId(id) === undefined ? id : `${id}-server`;
}
