/** Renders the tables of `docs/config.md` that describe keys. `scripts/docs/config-schema.mjs` writes them. */
import { AUTH_TYPES, authRows, entryRows } from "@plugboard/contracts";
import type { EntryRow } from "@plugboard/contracts";
import { FILE_SECTIONS, GATEWAY_KEYS, MODEL_KEYS, PROFILE_KEYS } from "../sections/section-keys.ts";
import type { SectionRow } from "../sections/section-keys.ts";

/**
 * Returns the text with its tables replaced by current ones. A table stands between `<!-- keys: stdio -->` and
 * `<!-- end -->`.
 */
export function updateKeyTables(markdown: string): string {
  return markdown.replaceAll(/(<!-- keys: (\w+) -->\n)[^]*?(?=\n<!-- end -->)/g, (_, start: string, target: string) => {
    return `${start}\n${keyTable(target)}\n`;
  });
}

/** The parts of rows that the tables show. */
interface DocumentedKeys {
  readonly [key: string]: DocumentedRow;
}

type DocumentedRow = Omit<SectionRow, "type" | "keys" | "default"> & {
  readonly type?: string;
  readonly default?: unknown;
  readonly keys?: DocumentedKeys;
};

const SECTIONS: { readonly [name: string]: DocumentedKeys } = {
  file: { mcp: { keys: FILE_SECTIONS } },
  profiles: PROFILE_KEYS,
  gateway: GATEWAY_KEYS,
  model: MODEL_KEYS,
};

/**
 * Returns the table of a section, or of the keys for a target. `all` stands for the keys that every server can have.
 */
function keyTable(name: string): string {
  if (name === "logins") return loginTable();
  if (name === "auth") return authTable();
  const section = SECTIONS[name];
  return section ? sectionTable(section) : entryTable(name);
}

function loginTable(): string {
  const keysOf = (type: string, presence: string) =>
    authRows()
      .flatMap(([key, row]) => Object.entries(row.of).flatMap(([t, p]) => (t === type && p === presence ? [key] : [])))
      .map((key) => `\`${key}\``)
      .join(", ");
  const lines = Object.entries(AUTH_TYPES).map(
    ([type, about]) => `| \`${type}\` | ${keysOf(type, "required")} | ${keysOf(type, "optional")} | ${about} |`,
  );
  return ["| type | required keys | optional keys | meaning |", "|---|---|---|---|", ...lines].join("\n");
}

function authTable(): string {
  const lines = authRows().map(([key, row]) => `| \`${key}\` | ${defaultOf(row)} | ${row.description} |`);
  return ["| key | default | meaning |", "|---|---|---|", ...lines].join("\n");
}

function sectionTable(keys: DocumentedKeys): string {
  const lines = sectionLines(keys, "");
  return ["| key | default | meaning |", "|---|---|---|", ...lines].join("\n");
}

/** An object without a default has a line for each of its keys. */
function sectionLines(section: DocumentedKeys, prefix: string): string[] {
  return Object.entries(section).flatMap(([key, row]) => {
    const path = `${prefix}${key}`;
    if (row.keys && row.defaultText === undefined) {
      return sectionLines(row.keys, `${path}.${row.names ? `${row.names.placeholder}.` : ""}`);
    }
    return [`| \`${path}\` | ${defaultOf(row)} | ${meaningOf(row)} |`];
  });
}

function entryTable(target: string): string {
  const rows = entryRows().filter(([, row]) => (row.for ?? "all") === target);
  const lines = rows.map(([key, row]) => `| \`${key}\` | ${defaultOf(row)} | ${row.change} | ${meaningOf(row)} |`);
  return ["| key | default | change | meaning |", "|---|---|---|---|", ...lines].join("\n");
}

function defaultOf(row: EntryRow | DocumentedRow): string {
  if (row.required) return "required";
  if (row.defaultText !== undefined) return row.defaultText;
  if (row.default === undefined) return "–";
  return typeof row.default === "number" ? String(row.default) : `\`${describeDefault(row.default)}\``;
}

function describeDefault(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function meaningOf({ description = "", details }: EntryRow | DocumentedRow): string {
  return details === undefined ? description : `${description} ${details}`;
}
