/**
 * Decides which entry is removed for a new one when all principals together have reached a limit: an entry of the
 * principal that holds most. So a principal with many entries can't lock out the others. Pure.
 */
import { OWNER } from "./caller.ts";

interface SharedEntries<Entry> {
  /** Returns the id of the principal that holds the entry. */
  readonly principalOf: (entry: Entry) => string;
  /** An entry in use is removed only if its principal has no other. By default no entry is in use. */
  readonly inUse?: (entry: Entry) => boolean;
}

interface Holding<Entry> {
  readonly oldest: Entry;
  unused: Entry | undefined;
  count: number;
}

/**
 * Returns the entry to remove before the newcomer gets one. Returns undefined if the newcomer has to wait, because it
 * would then hold more than the principal that loses an entry. The owner never has to wait for this reason, and never
 * loses an entry. `entries` come oldest first.
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
  // After the change, the principal that loses an entry must still hold as many as the newcomer.
  const least = newcomer === OWNER.id ? 1 : held + 2;
  return largest && largest.count >= least ? (largest.unused ?? largest.oldest) : undefined;
}

/**
 * Returns the oldest entry of the principal that has most. Meant for entries that are only remembered, so the owner can
 * lose one, too.
 */
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
