/**
 * Decides which entry makes room for a new one when a total that all principals share is reached: one of the principal
 * that holds most. So a principal that holds few gets in, and one that holds many can't lock out the others. Pure.
 */
import { OWNER } from "./caller.ts";

interface SharedEntries<Entry> {
  /** Returns the id of the principal that holds the entry. */
  readonly principalOf: (entry: Entry) => string;
  /** An entry in use is given only if its principal has no other. By default no entry is in use. */
  readonly inUse?: (entry: Entry) => boolean;
}

interface Holding<Entry> {
  readonly oldest: Entry;
  unused: Entry | undefined;
  count: number;
}

/**
 * Returns the entry to remove before the newcomer gets one. Returns undefined if the newcomer, with one more, would hold
 * more than any other: then it has to wait, unless it is the owner. The owner gives nothing. `entries` come oldest first.
 */
export function findEntryToGive<Entry>(
  entries: Iterable<Entry>,
  newcomer: string,
  shared: SharedEntries<Entry>,
): Entry | undefined {
  const holdings = countHoldings(entries, shared);
  const held = holdings.get(newcomer)?.count ?? 0;
  holdings.delete(OWNER.id);
  const largest = findLargest(holdings);
  const least = newcomer === OWNER.id ? 1 : held + 2;
  return largest && largest.count >= least ? (largest.unused ?? largest.oldest) : undefined;
}

/** Returns the oldest entry of the principal that has most. For entries that are only remembered, so that the owner gives too. */
export function findOldestOfLargest<Entry>(
  entries: Iterable<Entry>,
  principalOf: SharedEntries<Entry>["principalOf"],
): Entry | undefined {
  return findLargest(countHoldings(entries, { principalOf }))?.oldest;
}

function countHoldings<Entry>(
  entries: Iterable<Entry>,
  { principalOf, inUse = () => false }: SharedEntries<Entry>,
): Map<string, Holding<Entry>> {
  const holdings = new Map<string, Holding<Entry>>();
  for (const entry of entries) {
    const id = principalOf(entry);
    const holding = holdings.get(id) ?? { oldest: entry, unused: undefined, count: 0 };
    holdings.set(id, holding);
    holding.count += 1;
    if (holding.unused === undefined && !inUse(entry)) holding.unused = entry;
  }
  return holdings;
}

function findLargest<Entry>(holdings: Map<string, Holding<Entry>>): Holding<Entry> | undefined {
  let largest: Holding<Entry> | undefined;
  for (const holding of holdings.values()) if (!largest || holding.count > largest.count) largest = holding;
  return largest;
}
