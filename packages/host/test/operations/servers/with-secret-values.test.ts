/** Tests how references to secrets are replaced in a definition that is only used in memory. */
import { describe, expect, it } from "vitest";
import { withSecretValues } from "#operations/servers/with-secret-values.js";

describe("withSecretValues", () => {
  const secrets = [{ name: "w.KEY", value: "a${HOME}${b" }, { name: "w.OTHER" }] as never;

  it("replaces references at any depth, and escapes ${ in a secret, so that it is not expanded", () => {
    const entry = {
      command: "run",
      args: ["--key", { $secret: "w.KEY" }],
      env: { KEY: { $secret: "w.KEY" }, REGION: "eu" },
    };
    expect(withSecretValues(entry, secrets)).toEqual({
      command: "run",
      args: ["--key", "a$${HOME}$${b"],
      env: { KEY: "a$${HOME}$${b", REGION: "eu" },
    });
  });

  it("leaves references to secrets that have no value or are unknown", () => {
    const entry = { env: { A: { $secret: "w.OTHER" }, B: { $secret: "unknown" }, C: null, D: 5 } };
    expect(withSecretValues(entry, secrets)).toEqual(entry);
  });
});
