import type { JsonObject } from "@plugboard/contracts";
import { describe, expect, it } from "vitest";
import { adoptReferences, extractSecrets } from "#clients/entry/extract-secrets.js";
import { toPlainEntry } from "#clients/entry/to-plain-entry.js";
import { checkEntry } from "#entry/check-entry.js";

function definitionOf(entry: JsonObject) {
  const checked = checkEntry(entry, "user");
  if ("issues" in checked) throw new Error(JSON.stringify(checked.issues));
  return checked.definition;
}

const extract = (entry: JsonObject) => {
  const { definition, secrets } = extractSecrets(definitionOf(entry), (key) => `x.${key}`);
  return { entry: toPlainEntry(definition), secrets };
};

describe("extractSecrets", () => {
  it("moves secrets out of environment variables, and leaves all other values", () => {
    const env = { API_KEY: "canary", LOG_LEVEL: "debug", TOKEN: "${TOKEN}", OTHER_KEY: { $secret: "mine" } };
    expect(extract({ command: "run", args: ["--token", "t0ken"], env })).toEqual({
      entry: { command: "run", args: ["--token", "t0ken"], env: { ...env, API_KEY: { $secret: "x.API_KEY" } } },
      secrets: [{ key: "API_KEY", name: "x.API_KEY", value: "canary" }],
    });
  });

  it("moves secrets out of headers and logins", () => {
    const auth = { type: "oauth", client_id: "me", client_secret: "canary-2" };
    const { entry, secrets } = extract({ url: "https://x.example", headers: { "X-Api-Key": "canary-1" }, auth });
    expect(entry).toMatchObject({
      headers: { "X-Api-Key": { $secret: "x.X-Api-Key" } },
      auth: { ...auth, client_secret: { $secret: "x.client_secret" } },
    });
    expect(secrets.map(({ value }) => value)).toEqual(["canary-1", "canary-2"]);
  });

  it("stores an escaped $${ as a plain ${, because stored secrets need no escape", () => {
    const { secrets } = extract({ command: "run", env: { PASSWORD: "a$${b}" } });
    expect(secrets).toMatchObject([{ value: "a${b}" }]);
  });

  it("leaves a value that contains a variable, because stored secrets are not expanded", () => {
    const env = { DATABASE_URL: "postgres://me:pass@${HOST}/db" };
    expect(extract({ command: "run", env })).toEqual({ entry: { command: "run", env }, secrets: [] });
  });
});

it("adoptReferences replaces a secret with the $secret reference of another definition, and no other value", () => {
  const env = { API_KEY: "canary", LOG_LEVEL: "debug", TOKEN: "canary" };
  const other = { API_KEY: { $secret: "a" }, LOG_LEVEL: { $secret: "b" }, TOKEN: { $file: "c" } };
  const adopted = adoptReferences(
    definitionOf({ command: "run", env }),
    definitionOf({ command: "other", env: other }),
  );
  expect(toPlainEntry(adopted)).toEqual({ command: "run", env: { ...env, API_KEY: { $secret: "a" } } });
});
