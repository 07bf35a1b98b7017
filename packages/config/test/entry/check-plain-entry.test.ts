/** Tests that the validation without zod gives the same result as the validation with zod. */
import { describe, expect, it } from "vitest";
import * as fc from "fast-check";
import { checkEntry } from "#entry/check-entry.js";
import { checkPlainEntry } from "#entry/check-plain-entry.js";

describe("checkPlainEntry", () => {
  it.each([
    ["a command", { command: "npx", args: ["-y", "server"], env: { KEY: "value" } }],
    ["a command with its transport", { transport: "stdio", command: "npx" }],
    ["a URL with its transport", { transport: "http", url: "https://example.com/mcp" }],
    ["a command that is disabled", { command: "npx", enabled: false }],
    ["a command that starts with its first call", { command: "npx", start: "lazy" }],
    ["a URL", { url: "https://example.com/mcp", headers: { "X-Key": "value" } }],
  ])("accepts %s", (_, entry) => {
    expect(checkPlainEntry(entry)).toEqual(checkEntry(entry, "user"));
  });

  it.each([
    ["an unknown key", { command: "npx", comand: "x" }],
    ["a key with a value of another type", { command: "npx", args: "x" }],
    ["a variable", { command: "npx", args: ["${TOKEN}"] }],
    ["a reference to a secret", { command: "npx", env: { TOKEN: { $secret: "x" } } }],
    ["a command with arguments", { command: "npx -y server" }],
    ["an empty command", { command: "" }],
    ["a URL that is not http", { url: "ftp://example.com" }],
    ["a header with a line break", { url: "https://example.com", headers: { a: "b\r\nEvil: 1" } }],
    ["an invalid header", { url: "https://example.com", headers: { "a b": "c" } }],
    ["a login", { url: "https://example.com", auth: { type: "oauth" } }],
    ["another transport", { transport: "sse", url: "https://example.com" }],
    ["no target", {}],
  ])("leaves an entry to the validation with zod: %s", (_, entry) => {
    expect(checkPlainEntry(entry)).toBeUndefined();
  });

  const text = fc.constantFrom("", "a", "a b", "${A}", "$", "https://example.com", "ws://example.com", "X-Key");
  const record = fc.dictionary(text, text, { maxKeys: 2 });
  const other = fc.constantFrom(null, 1, true, "a");
  const entry = fc.record(
    {
      command: fc.oneof(text, other),
      args: fc.oneof(fc.array(fc.oneof(text, other), { maxLength: 2 }), other),
      env: fc.oneof(record, other),
      url: fc.oneof(text, other),
      headers: fc.oneof(record, other),
      enabled: fc.oneof(fc.boolean(), other),
      start: fc.oneof(fc.constantFrom("eager", "lazy"), other),
      cwd: text,
      transport: fc.constantFrom("stdio", "http", "sse", "websocket", "x", 1),
    },
    { requiredKeys: [] },
  );

  it("never differs from the validation with zod", () => {
    fc.assert(
      fc.property(entry, fc.constantFrom("user" as const, "project" as const), (one, source) => {
        const plain = checkPlainEntry(one);
        if (plain) expect(plain).toEqual(checkEntry(one, source));
      }),
      { numRuns: 3000 },
    );
  });
});
