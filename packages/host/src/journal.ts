/** Turns the events of a host into the entries of its journal. */
export { toJournalEntry } from "./activity/journal-line.ts";
export { RepeatedEvents } from "./activity/repeated-events.ts";
