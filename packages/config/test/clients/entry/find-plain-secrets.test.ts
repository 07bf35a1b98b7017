/** Tests how secrets in plain text are found, and the advice about them. */
import type { JsonObject } from "@plugboard/contracts";
import { describe, expect, it } from "vitest";
import { entryNotes } from "#clients/entry/entry-notes.js";
import { findPlainSecrets, suggestSecretName } from "#clients/entry/find-plain-secrets.js";
import { checkEntry } from "#entry/check-entry.js";

function find(entry: JsonObject) {
  const checked = checkEntry(entry, "user");
  if ("issues" in checked) throw new Error(JSON.stringify(checked.issues));
  return findPlainSecrets(checked.definition, "x");
}

describe("findPlainSecrets", () => {
  it("suggests a secret name for a variable, a header or an argument, but not for a URL", () => {
    expect(find({ command: "run", args: ["--token", "t0ken"], env: { API_KEY: "canary", PORT: "80" } })).toEqual([
      { key: "API_KEY", suggestedName: "x.API_KEY" },
      { key: "argument 2", suggestedName: "x.argument-2" },
    ]);
    expect(find({ url: "https://x.example/?api_key=canary", headers: { Authorization: "Bearer canary" } })).toEqual([
      { key: "url" },
      { key: "Authorization", suggestedName: "x.Authorization" },
    ]);
  });

  it("leads to advice that works: a $secret reference, or a variable if the secret is in a URL", () => {
    const advice = (entry: JsonObject) => entryNotes({ notes: [], plainSecrets: find(entry) }).join();
    expect(advice({ command: "run", env: { API_KEY: "canary" } })).toContain(
      'replace the value with { "$secret": "x.API_KEY" }',
    );
    const url = "https://x.example/?api_key=";
    expect(advice({ url: `${url}canary` })).toContain("write ${NAME} in its place");
    expect(advice({ url: `${url}canary` })).not.toContain("$secret");
    expect(find({ url: `${url}\${NAME}` })).toEqual([]);
    expect(find({ url: `${url}\${NAME:-hunter2}` })).toEqual([{ key: "url" }]);
  });
});

it.each([
  ["-x", "API_KEY", "x.API_KEY"],
  ["--", ".KEY", "KEY"],
  ["-", "!", "secret"],
  ["x", "API KEY", "x.API-KEY"],
])("suggestSecretName(%j, %j) returns %j, which is a valid secret name", (id, key, name) => {
  expect(suggestSecretName(id, key)).toBe(name);
  expect(name).toMatch(/^\w[\w.-]*$/);
});

it("entryNotes limits the notes", () => {
  const notes = Array.from({ length: 30 }, (_, index) => `note ${index}`);
  expect(entryNotes({ notes, plainSecrets: [{ key: "url" }] }).slice(-2)).toEqual(["note 19", "and 11 more notes"]);
});
