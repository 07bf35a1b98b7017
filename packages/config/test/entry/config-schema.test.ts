/** Checks that docs/config.schema.json is up to date and accepts the same files as the reader. */
import { readFileSync } from "node:fs";
import { configSchema } from "#entry/config-schema.js";
import { readLayerFromText } from "#read/read-layer.js";
import { Ajv } from "ajv";
import { parse } from "jsonc-parser";
import { describe, expect, it } from "vitest";
import { EXAMPLES } from "../helpers/config-examples.ts";

const docs = new URL("../../../../docs/", import.meta.url);
const committed = JSON.parse(readFileSync(new URL("config.schema.json", docs), "utf8")) as object;
const validate = new Ajv({ allErrors: true, strict: true, strictTypes: false, strictRequired: false }).compile(
  committed,
);

it("docs/config.schema.json is up to date (regenerate it with `node scripts/docs/config-schema.mjs`)", () => {
  expect(committed).toEqual(configSchema());
});

const documented = ["config.md", "../README.md"].flatMap((name) =>
  [...readFileSync(new URL(name, docs), "utf8").matchAll(/```jsonc\n(.*?)```/gs)].map(([, text], index) => {
    return [`example ${index + 1} of ${name.replace("../", "")}`, parse(text!) as object] as const;
  }),
);

it.each([...Object.entries(EXAMPLES), ...documented])(
  "docs/config.schema.json and readLayerFromText both accept %s",
  { meta: { covers: ["R2.53"] } },
  async (_, example) => {
    validate(example);
    expect(validate.errors ?? []).toEqual([]);
    const text = JSON.stringify(example);
    const { servers, problems } = await readLayerFromText("example", text, { source: "user", folder: "/" });
    expect(problems).toEqual([]);
    expect(servers.filter(({ definition }) => "invalid" in definition)).toEqual([]);
    expect(servers.map(({ id }) => id)).toEqual(definedServerIds(example));
  },
);

/** Returns the ids of the servers that an example defines. Omits entries with only `enabled` or `disabled`. */
function definedServerIds(example: object): string[] {
  const { mcp, mcpServers, servers } = example as { mcp?: Section; mcpServers?: Section["servers"] } & Section;
  const defined = Object.entries(mcp?.servers ?? mcpServers ?? servers ?? {});
  return defined.flatMap(([id, entry]) => (/^(enabled|disabled)$/.test(Object.keys(entry).join()) ? [] : [id]));
}

interface Section {
  readonly servers?: { readonly [id: string]: object };
}

describe("docs/config.schema.json and readLayerFromText", () => {
  it.each([
    ["an unknown key", { servers: { a: { command: "x", comand: "y" } } }],
    ["an unknown key of auth", { servers: { a: { url: "https://x", auth: { type: "none", x: 1 } } } }],
    ["an auth without a type", { servers: { a: { url: "https://x", auth: {} } } }],
    ["an entry with neither command nor url", { servers: { a: { args: [] } } }],
    ["a timeout that is a string", { servers: { a: { command: "x", timeout: "5" } } }],
    ["a timeout of 0", { servers: { a: { command: "x", max_timeout_ms: 0 } } }],
    ["an argument that is a number", { servers: { a: { command: "x", args: [1] } } }],
    ["a reference with two keys", { servers: { a: { command: "x", args: [{ $file: "a", $secret: "b" }] } } }],
    ["an unknown transport", { servers: { a: { transport: "pigeon", url: "https://x" } } }],
    ["an invalid id", { servers: { "a b": { command: "x" } } }],
    ["an unknown version", { version: 2 }],
    ["an invalid rule", { mcp: { permissions: { deny: ["delete everything"] } } }],
    ["an unknown effect in permissions", { mcp: { permissions: { forbid: [] } } }],
    ["a model without a provider", { mcp: { model: "opus" } }],
    ["a provider with an unknown key", { mcp: { model: { providers: { a: { url: "https://x" } } } } }],
    ["an unknown naming", { mcp: { naming: "{server}" } }],
    [
      "a profile with a tool pattern that names no server",
      { mcp: { profiles: { a: { tools: { include: ["get_*"] } } } } },
    ],
  ])("both reject %s", async (_, example) => {
    expect(validate(example)).toBe(false);
    const read = readLayerFromText("example", JSON.stringify(example), { source: "user", folder: "/" });
    const problems = await read.then(
      (layer) => layer.problems,
      () => ["rejected"],
    );
    expect(problems).not.toEqual([]);
  });
});
