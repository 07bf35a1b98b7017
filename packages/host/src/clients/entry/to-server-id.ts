/** Makes valid server ids from the names that other clients allow. */
import { validateServerId } from "../../config/entry/validate-server-id.ts";

const MAX_LENGTH = 64;

/** Returns the name itself if it is a valid id that is not taken. */
export function toServerId(name: string, taken: ReadonlySet<string>): string {
  const base = validateServerId(name) === undefined ? name : makeValid(name);
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
