/** Renders the tables of `docs/config.md` that describe the keys of a server. `scripts/docs/config-schema.mjs` writes them. */
import { entryRows } from "@plugboard/contracts";
import type { EntryRow } from "@plugboard/contracts";

/** Returns the text with the tables of today. A table stands between `<!-- keys: stdio -->` and `<!-- end -->`. */
export function updateKeyTables(markdown: string): string {
  return markdown.replaceAll(/(<!-- keys: (\w+) -->\n)[^]*?(?=\n<!-- end -->)/g, (_, start: string, target: string) => {
    return `${start}\n${keyTable(target)}\n`;
  });
}

/** `all` stands for the keys that every server can have. */
function keyTable(target: string): string {
  const rows = entryRows().filter(([, row]) => (row.for ?? "all") === target);
  const lines = rows.map(([key, row]) => `| \`${key}\` | ${defaultOf(row)} | ${row.change} | ${meaningOf(row)} |`);
  return ["| key | default | change | meaning |", "|---|---|---|---|", ...lines].join("\n");
}

function defaultOf(row: EntryRow): string {
  if (row.required) return "required";
  if (row.defaultText !== undefined) return row.defaultText;
  if (row.default === undefined) return "–";
  return typeof row.default === "number" ? String(row.default) : `\`${describeDefault(row.default)}\``;
}

function describeDefault(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function meaningOf({ description, details }: EntryRow): string {
  return details === undefined ? description : `${description} ${details}`;
}
