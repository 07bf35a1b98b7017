/** Tests how the secrets of a definition are found, and how they are masked in texts and errors. */
import { inspect } from "node:util";
import { createRedactor } from "#redaction/redactor.js";
import { targetSecrets } from "#redaction/target-secrets.js";
import { HostError } from "@plugboard/contracts";
import type { StdioTarget } from "@plugboard/contracts";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

const RANDOM = "9f86d081884c7d659a2feaa0";

const stdioTarget = (fields: Partial<StdioTarget>): StdioTarget => {
  return { transport: "stdio", command: "npx", args: [], cwd: "/", env: {}, ...fields };
};
const httpTarget = (url: string, headers = {}) => ({ transport: "http", url, headers }) as const;

describe("targetSecrets", () => {
  it.each([
    ["the value of a variable with the name of a secret", stdioTarget({ env: { API_KEY: "hunter2" } }), ["hunter2"]],
    ["the value of a variable that looks random", stdioTarget({ env: { THING: RANDOM } }), [RANDOM]],
    [
      "the password in a URL",
      stdioTarget({ env: { DATABASE_URL: "postgres://me:p%40ss@localhost:5432/db" } }),
      ["p@ss", "p%40ss", btoa("me:p@ss")],
    ],
    [
      "the argument after an option with the name of a secret",
      stdioTarget({ args: ["--api-key", "hunter2", "--verbose"] }),
      ["hunter2"],
    ],
    ["the value of an option with the name of a secret", stdioTarget({ args: ["--token=hunter2", "x"] }), ["hunter2"]],
    ["a random part of a path", stdioTarget({ args: [`/data/${RANDOM}/files`] }), [RANDOM]],
    [
      "a token in a header",
      httpTarget("https://x.com/mcp", { Authorization: `Bearer ${RANDOM}` }),
      [`Bearer ${RANDOM}`, RANDOM],
    ],
    [
      "the password in a URL, and the Basic credentials made from it",
      httpTarget("https://me:hunter2@x.com/mcp"),
      ["hunter2", btoa("me:hunter2")],
    ],
    ["a value in a query", httpTarget("https://x.com/mcp?key=hunter2&page=2"), ["hunter2"]],
    ["a random part of the path of a URL", httpTarget(`https://x.com/s/${RANDOM}/mcp`), [RANDOM]],
  ])("finds %s", (_, target, secrets) => {
    expect(new Set(targetSecrets(target))).toEqual(new Set(secrets));
  });

  it.each([
    ["plain words", stdioTarget({ env: { NODE_ENV: "production", HOST: "localhost:5432" } })],
    [
      "paths",
      stdioTarget({ args: ["-y", "@scope/server-files", "/home/me/projects"], env: { PATH: "/usr/bin:/bin" } }),
    ],
    ["a plain URL", httpTarget("https://mcp.example.com:8443/mcp?page=2", { accept: "text/plain" })],
  ])("finds no secret in %s", (_, target) => {
    expect(targetSecrets(target)).toEqual([]);
  });
});

describe("createRedactor", () => {
  const text = (secrets: readonly string[], input: string) => createRedactor(secrets)!.text(input);

  it.each([
    ["a secret", `You sent ${RANDOM}!`, "You sent ***!"],
    ["three occurrences of a secret", `${RANDOM}${RANDOM} ${RANDOM}`, "****** ***"],
    ["the beginning of a secret", `"Bearer ${RANDOM.slice(0, 10)}"...`, '"Bearer ***"...'],
    ["the middle of a secret", `…${RANDOM.slice(3, 12)}…`, "…***…"],
  ])("masks %s", (_, input, shown) => {
    expect(text([RANDOM], input)).toBe(shown);
  });

  it.each([
    ["in a URL", encodeURIComponent('p@ss "word"')],
    ["in JSON", JSON.stringify({ input: 'p@ss "word"' })],
  ])("masks a secret that is escaped %s", (_, input) => {
    expect(text(['p@ss "word"'], input)).not.toMatch(/ss|word/);
  });

  it("leaves no eight successive characters of a secret in a text", () => {
    const anyInput = fc.string({ unit: fc.constantFrom("a", "b", "*"), maxLength: 60 });
    const anySecret = fc.string({ unit: fc.constantFrom("a", "b"), minLength: 8, maxLength: 12 });
    fc.assert(
      fc.property(fc.array(anySecret, { minLength: 1, maxLength: 3 }), anyInput, (secrets, input) => {
        const shown = text(secrets, input);
        for (const secret of secrets) {
          for (let end = 8; end <= secret.length; end++) expect(shown).not.toContain(secret.slice(end - 8, end));
        }
      }),
    );
  });

  it("masks no piece under eight characters, no secret under six characters, and no text without a secret", () => {
    expect(text([RANDOM], RANDOM.slice(0, 7))).toBe(RANDOM.slice(0, 7));
    expect(createRedactor([])).toBeUndefined();
    expect(createRedactor(["", "true", "12345"])).toBeUndefined();
    expect(text(["hunter2"], "ENOENT: no such file")).toBe("ENOENT: no such file");
  });

  it("masks a whole secret in a very long text", () => {
    expect(text([RANDOM], `${"x".repeat(5_000_000)}${RANDOM}`)).toMatch(/x\*\*\*$/);
  });
});

describe("Redactor.error", () => {
  const redactor = createRedactor([RANDOM])!;

  it("returns the same error if it contains no secret", () => {
    const error = new HostError(
      "REQUEST_FAILED",
      { server: "s", method: "ping", code: 1, message: "no" },
      { cause: { code: 1, message: "no", data: [{ a: 1 }] } },
    );
    expect(redactor.error(error)).toBe(error);
  });

  it("masks secrets in the message, the details, the stack and the error of the peer", () => {
    const cause = { code: -1, message: `no ${RANDOM}`, data: { [RANDOM]: [RANDOM, 7, null, true] } };
    const error = new HostError(
      "REQUEST_FAILED",
      { server: "s", method: "ping", code: -1, message: cause.message },
      { cause },
    );
    const redacted = redactor.error(error);
    expect(redacted).toMatchObject({
      code: "REQUEST_FAILED",
      details: { server: "s", method: "ping", code: -1, message: "no ***" },
    });
    expect(redacted.peer).toEqual({ code: -1, message: "no ***", data: { "***": ["***", 7, null, true] } });
    expect(redacted.stack).toContain("redactor.test");
    expect(inspect(redacted)).not.toContain(RANDOM);
  });

  it("keeps only the name, code, message and stack of a cause that is not a HostError", () => {
    const cause = Object.assign(new TypeError(`bad ${RANDOM}`), {
      code: "HPE_INVALID",
      data: `raw ${RANDOM}`,
      socket: {},
    });
    const { cause: redacted } = redactor.error(
      new HostError("CONNECTION_LOST", { server: "s", reason: "x" }, { cause }),
    );
    expect(redacted).toMatchObject({ name: "TypeError", code: "HPE_INVALID", message: "bad ***" });
    expect(redacted).not.toHaveProperty("data");
    expect(inspect(redacted)).not.toContain(RANDOM);
  });
});
