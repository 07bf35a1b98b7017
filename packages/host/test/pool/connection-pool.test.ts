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

describe("definitions are one server", () => {
  it.each<[string, Target, Target]>([
    ["when they are equal", stdio, structuredClone(stdio)],
    ["in whatever order keys are written", stdio, reversed(stdio)],
    ["in whatever order variables are written", stdio, { ...stdio, env: { B: "2", A: "1" } }],
    ["in whatever order headers are written", http, reversed({ ...http, headers: { B: "2", A: "1" } })],
  ])("%s", (_, one, other) => {
    expect(definitionKey(other)).toBe(definitionKey(one));
  });
});

describe("definitions are two servers when they differ in", () => {
  it.each<[string, Target, Target]>([
    ["the command", stdio, { ...stdio, command: "bunx" }],
    ["an argument", stdio, { ...stdio, args: ["-y", "z"] }],
    ["the order of arguments", stdio, { ...stdio, args: ["x", "-y"] }],
    ["where an argument ends", stdio, { ...stdio, args: ["-y x"] }],
    ["an empty argument", stdio, { ...stdio, args: ["-y", "x", ""] }],
    ["the folder", stdio, { ...stdio, cwd: "/b" }],
    ["the value of a variable", stdio, { ...stdio, env: { A: "1", B: "3" } }],
    ["the name of a variable", stdio, { ...stdio, env: { A: "1", C: "2" } }],
    ["a variable more", stdio, { ...stdio, env: { A: "1", B: "2", C: "" } }],
    ["which variable has which value", stdio, { ...stdio, env: { A: "2", B: "1" } }],
    ["where a name ends", { ...stdio, env: { AB: "C" } }, { ...stdio, env: { A: "BC" } }],
    ["the URL", http, { ...http, url: "https://x/mcp/" }],
    ["the value of a header", http, { ...http, headers: { A: "1", B: "secret" } }],
    ["a header more", http, { ...http, headers: { A: "1", B: "2", C: "3" } }],
  ])("%s", (_, one, other) => {
    expect(definitionKey(other)).not.toBe(definitionKey(one));
  });
});

it("shows nothing of the secrets that it was made of", () => {
  const key = definitionKey({ ...http, headers: { Authorization: "Bearer s3cret" } });
  expect(key).toMatch(/^[0-9a-f]{64}$/);
});

function reversed<T extends object>(target: T): T {
  return Object.fromEntries(Object.entries(target).toReversed()) as T;
}
