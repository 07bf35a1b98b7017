/** The checks that all entry stores share, so that they accept and refuse the same entries. */
import { HostError, OWNER } from "@plugboard/contracts";
import type { JsonObject } from "@plugboard/contracts";
import type { Entry, EntryLimits, PutCondition } from "./entry-store.ts";

const KIND = /^[a-z][a-z0-9_]{0,63}$/;
const MAX_KEY_CHARS = 4096;

/** Throws INVALID_ARGUMENTS. Only the code chooses kinds, as short names. A key may come from outside. */
export function checkKind(kind: string): void {
  if (!KIND.test(kind)) throw invalid(`the kind ${JSON.stringify(kind)} is not a name in snake_case`);
}

/** Throws INVALID_ARGUMENTS. */
export function checkKey(key: string): void {
  if (key === "" || key.length > MAX_KEY_CHARS) throw invalid(`the key is empty or over ${MAX_KEY_CHARS} characters`);
}

/** Throws INVALID_ARGUMENTS. */
export function checkExpiry({ expiresAt }: PutCondition): void {
  if (expiresAt !== undefined && !Number.isSafeInteger(Math.trunc(expiresAt))) throw invalid("expiresAt is not a time");
}

/** Returns the value as JSON. Throws STORE_UNWRITABLE, which names `place`, if it is too large. */
export function toValueText(value: JsonObject, place: string, { maxValueBytes }: EntryLimits): string {
  const text = JSON.stringify(value);
  if (Buffer.byteLength(text) <= maxValueBytes) return text;
  throw new HostError("STORE_UNWRITABLE", { file: place, reason: `a value is over ${maxValueBytes} bytes` });
}

export function tooManyEntries(place: string, { maxEntries }: EntryLimits): HostError {
  return new HostError("STORE_UNWRITABLE", { file: place, reason: `it already has ${maxEntries} entries` });
}

/**
 * Returns true for the owner, whose entries only the share limits. So clients can't lock out the owner, however many
 * they are.
 */
export function mayExceedMaxEntries(holder: string | undefined): boolean {
  return holder === OWNER.id;
}

export function shareUsedUp(place: string, { maxPerHolder }: EntryLimits): HostError {
  const reason = `it already has ${maxPerHolder} entries of this client`;
  return new HostError("STORE_UNWRITABLE", { file: place, reason });
}

/** Returns the holder that `once` has written to an entry. */
export function entryHolder({ value: { holder } }: Pick<Entry, "value">): string | undefined {
  return typeof holder === "string" ? holder : undefined;
}

export function isExpired({ expiresAt }: Pick<Entry, "expiresAt">, now: number): boolean {
  return expiresAt !== undefined && expiresAt <= now;
}

/** Returns whether the condition allows a write. Expects that `current` has not expired. */
export function mayPut(current: Entry | undefined, { ifVersion, ifAbsent }: PutCondition): boolean {
  if (ifAbsent && current) return false;
  return ifVersion === undefined || current?.version === ifVersion;
}

function invalid(reason: string): HostError {
  return new HostError("INVALID_ARGUMENTS", { reason });
}
