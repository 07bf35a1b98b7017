/** Creates a stored list in memory. A test can read and change the text of its file, and make writing fail. */
import type { StoredList } from "@plugboard/store";

export function inMemoryStoredList<Entry>(...entries: unknown[]) {
  const file = { text: JSON.stringify(entries), writeError: undefined as Error | undefined };
  const list: StoredList<Entry> = {
    load: async () => JSON.parse(file.text) as Entry[],
    update: async (change) => {
      const changed = change(JSON.parse(file.text) as Entry[]);
      if (file.writeError) throw file.writeError;
      file.text = JSON.stringify(changed);
    },
  };
  return { list, file, entries: () => JSON.parse(file.text) as Entry[] };
}
