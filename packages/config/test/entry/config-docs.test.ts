/** Checks that docs/config.md matches the code. */
import { readFileSync } from "node:fs";
import { authRows, entryRows } from "@plugboard/contracts";
import { ENTRY_TABLE, NESTED_TABLES, spellingsOf } from "#entry/entry-keys.js";
import { updateKeyTables } from "#entry/key-docs.js";
import { readLayerFromText } from "#read/read-layer.js";
import { expect, it } from "vitest";

const docs = readFileSync(new URL("../../../../docs/config.md", import.meta.url), "utf8");

it("docs/config.md contains only valid examples", async () => {
  const examples = [...docs.matchAll(/```jsonc\n(.*?)```/gs)].map(([, text]) => text!);
  expect(examples.length).toBeGreaterThan(0);
  for (const text of examples) {
    const { servers, problems } = await readLayerFromText("docs/config.md", text, { source: "user", folder: "/" });
    expect(problems).toEqual([]);
    expect(servers.filter(({ definition }) => "invalid" in definition)).toEqual([]);
  }
});

it("docs/config.md has up-to-date tables of keys (update them with `node scripts/docs/config-schema.mjs`)", () => {
  expect(updateKeyTables(docs)).toBe(docs);
});

it.each(entryRows())("docs/config.md describes the key %s", (key, { change }) => {
  expect(docs).toMatch(new RegExp(`^\\| \`${key}\` \\| .* \\| ${change} \\|`, "m"));
});

it("docs/config.md mentions every key of auth in its section on logins", () => {
  const logins = docs.slice(docs.indexOf("## Logins"), docs.indexOf("## Variables"));
  for (const [key] of authRows()) expect(logins).toContain(`\`${key}\``);
});

it("docs/config.md lists every alias of a key", () => {
  const spellings = docs.slice(docs.indexOf("## Other spellings"), docs.indexOf("## Where a server runs"));
  const aliases = [ENTRY_TABLE, NESTED_TABLES.get("auth")!].flatMap((table) => Object.keys(table.aliases));
  for (const alias of aliases) {
    if (alias === "oauth") continue;
    expect(
      spellingsOf(alias).some((spelling) => spellings.includes(`\`${spelling}\``)),
      alias,
    ).toBe(true);
  }
});
