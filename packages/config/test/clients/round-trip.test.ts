/** Exports entries to each client and imports them again. An export without notes loses nothing. */
import { CLIENTS } from "#clients/client-table.js";
import { readClientText } from "#clients/read-client-file.js";
import { writeClientText } from "#clients/write-client-text.js";
import { checkEntry } from "#entry/check-entry.js";
import type { EntryValue, ServerEntry } from "@plugboard/contracts";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

const name = fc.stringMatching(/^[A-Z][A-Z0-9_]{0,7}$/);
const literal = fc.oneof(
  { weight: 2, arbitrary: fc.stringMatching(/^[a-z./=-]{1,8}$/) },
  fc.constantFrom(
    "-y",
    "a b",
    "${",
    "$${X}",
    "$HOME",
    "{env:X}",
    "%A%",
    "${env:X}",
    "$",
    "~",
    "ä",
    '"',
    "\n",
    "'",
    "x: y",
  ),
  fc.string({ maxLength: 12 }),
);
const reference = fc.oneof(
  name.map((variable) => `\${${variable}}`),
  fc.tuple(name, fc.stringMatching(/^[a-z/ ]{0,6}$/)).map(([variable, fallback]) => `\${${variable}:-${fallback}}`),
);
const escaped = literal.map((text) => text.replaceAll("${", () => "$${"));
/** Joins literals and references. A space separates a `$` from a reference after it, which it would escape. */
const text = fc
  .array(fc.oneof(escaped, reference), { maxLength: 3 })
  .map((parts) =>
    parts.reduce((all, part) => (all.endsWith("$") && part.startsWith("${") ? `${all} ${part}` : all + part), ""),
  );
const value: fc.Arbitrary<EntryValue> = fc.oneof(
  { weight: 4, arbitrary: text },
  name.map(($secret) => ({ $secret })),
  fc.constant({ $file: "/run/secrets/x" }),
);
const tools = fc.record(
  {
    include: fc.array(fc.stringMatching(/^[a-z_*]{1,8}$/), { minLength: 1, maxLength: 2 }),
    exclude: fc.array(fc.stringMatching(/^[a-z_*]{1,8}$/), { minLength: 1, maxLength: 2 }),
  },
  { requiredKeys: [] },
);
const oauth = fc.record(
  { type: fc.constant("oauth" as const), client_id: text, scope: fc.constant("a b"), callback_port: fc.constant(3118) },
  { requiredKeys: ["type"] },
);
const common = {
  enabled: fc.constant(false),
  startup_timeout_ms: fc.constantFrom(1000, 5500),
  request_timeout_ms: fc.constantFrom(90_000, 1500),
  tools,
  idle_stop_ms: fc.constant(5000),
};
const stdio = withSomeOf(
  { transport: fc.constant("stdio"), command: text.filter((command) => command !== "") },
  { args: fc.array(value, { maxLength: 3 }), cwd: text, env: fc.dictionary(name, value, { maxKeys: 2 }), ...common },
);
const remote = withSomeOf(
  {
    transport: fc.constantFrom("http", "sse"),
    url: fc.constantFrom("https://mcp.example.com/mcp", "https://${HOST}/mcp"),
  },
  { headers: fc.dictionary(fc.stringMatching(/^X-[A-Z]{1,3}$/), value, { maxKeys: 2 }), auth: oauth, ...common },
);

/** Adds at most two optional keys. With more, few exports would be lossless, because no client supports every key. */
function withSomeOf(
  required: { [key: string]: fc.Arbitrary<unknown> },
  optional: { [key: string]: fc.Arbitrary<unknown> },
): fc.Arbitrary<ServerEntry> {
  return fc
    .subarray(Object.keys(optional), { maxLength: 2 })
    .chain((keys) => fc.record({ ...required, ...Object.fromEntries(keys.map((key) => [key, optional[key]!])) }))
    .map((entry) => entry as ServerEntry);
}

const valid = fc.oneof(stdio, remote).filter((entry) => "definition" in checkEntry({ ...entry }, "user"));

describe.each(Object.values(CLIENTS))("the file of $label", (client) => {
  it("contains every server unchanged, unless a note says what is lost", async () => {
    let lossless = 0;
    await fc.assert(
      fc.asyncProperty(valid, async (entry) => {
        const exported = await writeClientText(client, new Map([["srv", entry]]), { showSecrets: true });
        if (exported.skipped.length > 0 || exported.servers[0]!.notes.length > 0) return;
        lossless++;
        const imported = await readClientText("file", exported.text, {
          client,
          scope: "user",
          project: "/p",
          platform: "linux",
        });
        expect(imported.skipped).toEqual([]);
        expect(comparable(imported.servers[0]!.entry)).toEqual(comparable(entry));
      }),
      { numRuns: 200 },
    );
    expect(lossless).toBeGreaterThan(0);
  });
});

/** Fills in the defaults, so that `auth` of type oauth without settings equals no `auth`. */
function comparable(entry: ServerEntry): unknown {
  const { auth, ...rest } = entry;
  const isDefault = auth?.type === "oauth" && Object.keys(auth).length === 1;
  return checkEntry(isDefault ? rest : { ...entry }, "user");
}
