import { definitionKey } from "#pool/connection-pool.js";
import type { HttpTarget, StdioTarget, Target } from "@plugboard/mcp";
import { describe, expect, it } from "vitest";

const stdio: StdioTarget = {
  transport: "stdio",
  command: "npx",
  args: ["-y", "x"],
  cwd: "/a",
  env: { A: "1", B: "2" },
};
const http: HttpTarget = { transport: "http", url: "https://x/mcp", headers: { A: "1", B: "2" } };

describe("definitionKey", () => {
  it.each<[string, Target, Target]>([
    ["are equal", stdio, structuredClone(stdio)],
    ["differ only in the order of keys", stdio, reversed(stdio)],
    ["differ only in the order of variables", stdio, { ...stdio, env: { B: "2", A: "1" } }],
    ["differ only in the order of headers", http, reversed({ ...http, headers: { B: "2", A: "1" } })],
  ])("is the same for definitions that %s", (_, first, second) => {
    expect(definitionKey(second)).toBe(definitionKey(first));
  });

  it.each<[string, Target, Target]>([
    ["the command", stdio, { ...stdio, command: "bunx" }],
    ["an argument", stdio, { ...stdio, args: ["-y", "z"] }],
    ["the order of arguments", stdio, { ...stdio, args: ["x", "-y"] }],
    ["where one argument ends and the next starts", stdio, { ...stdio, args: ["-y x"] }],
    ["an empty argument", stdio, { ...stdio, args: ["-y", "x", ""] }],
    ["the working directory", stdio, { ...stdio, cwd: "/b" }],
    ["the value of a variable", stdio, { ...stdio, env: { A: "1", B: "3" } }],
    ["the name of a variable", stdio, { ...stdio, env: { A: "1", C: "2" } }],
    ["an additional variable", stdio, { ...stdio, env: { A: "1", B: "2", C: "" } }],
    ["which of two variables has which value", stdio, { ...stdio, env: { A: "2", B: "1" } }],
    [
      "where the name of a variable ends and its value starts",
      { ...stdio, env: { AB: "C" } },
      { ...stdio, env: { A: "BC" } },
    ],
    ["the URL", http, { ...http, url: "https://x/mcp/" }],
    ["the value of a header", http, { ...http, headers: { A: "1", B: "secret" } }],
    ["an additional header", http, { ...http, headers: { A: "1", B: "2", C: "3" } }],
  ])("is different for definitions that differ in %s", (_, first, second) => {
    expect(definitionKey(second)).not.toBe(definitionKey(first));
  });
});

it("definitionKey does not contain the secrets of a definition", () => {
  const key = definitionKey({ ...http, headers: { Authorization: "Bearer s3cret" } });
  expect(key).toMatch(/^[0-9a-f]{64}$/);
});

function reversed<T extends object>(target: T): T {
  return Object.fromEntries(Object.entries(target).toReversed()) as T;
}
