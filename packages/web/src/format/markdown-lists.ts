/** Groups the items of Markdown into lists, and indented items into lists of the item before them. Pure. */
import type { MarkdownBlock } from "@plugboard/contracts/markdown";

export interface MarkdownList {
  readonly type: "list";
  /** The number of the first item. Undefined for a list without numbers. */
  readonly start: number | undefined;
  readonly items: readonly ListItem[];
}

interface ListItem {
  readonly text: string;
  readonly checked: boolean | undefined;
  readonly lists: readonly MarkdownList[];
}

type Item = MarkdownBlock & { readonly type: "item" };

type Group = Exclude<MarkdownBlock, Item> | MarkdownList;

/** Lists within lists are made up to this depth. Deeper items stay on the last level. */
const MAX_DEPTH = 10;

export function groupLists(blocks: readonly MarkdownBlock[]): Group[] {
  const groups: Group[] = [];
  let items: Item[] = [];
  const endLists = () => {
    groups.push(...toLists(items, 0));
    items = [];
  };
  for (const block of blocks) {
    if (block.type === "item") {
      items.push(block);
      continue;
    }
    endLists();
    groups.push(block);
  }
  endLists();
  return groups;
}

/** A list ends where numbers begin or end. Items that are indented further belong to the item before them. */
function toLists(items: readonly Item[], depth: number): MarkdownList[] {
  const lists: { readonly type: "list"; readonly start: number | undefined; readonly items: ListItem[] }[] = [];
  for (let index = 0; index < items.length;) {
    const { indent, marker, checked, text } = items[index]!;
    let end = index + 1;
    if (depth < MAX_DEPTH) while (end < items.length && items[end]!.indent > indent + 1) end += 1;
    const start = /^\d/.test(marker) ? Number.parseInt(marker, 10) : undefined;
    const item = { text, checked, lists: toLists(items.slice(index + 1, end), depth + 1) };
    const last = lists.at(-1);
    if (last && (last.start === undefined) === (start === undefined)) last.items.push(item);
    else lists.push({ type: "list", start, items: [item] });
    index = end;
  }
  return lists;
}
