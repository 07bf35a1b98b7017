/** Tests the TypeScript declarations of tools by compiling them with the real compiler. */
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { declareTools } from "#signatures/declare-tools.js";
import type { JsonObject, OfferedTool } from "@plugboard/contracts";
import { describe, expect, it, onTestFinished } from "vitest";

const TSC = fileURLToPath(new URL("../../../../node_modules/typescript/bin/tsc", import.meta.url));

function tool(tool: string, inputSchema: JsonObject, more: Partial<OfferedTool> = {}): OfferedTool {
  return {
    name: `mcp__fs__${tool}`,
    server: "fs",
    tool,
    description: "",
    inputSchema,
    origin: "mcp",
    pin: "0",
    ...more,
  };
}

/** Returns the messages of the compiler, or an empty text. */
async function compile(types: string, program = ""): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "plugboard-types-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "package.json"), '{ "type": "module" }');
  await writeFile(join(folder, "tools.d.ts"), types);
  await writeFile(
    join(folder, "program.ts"),
    `import type { Tools } from "./tools.d.ts";\n${program}export type All = Tools;\n`,
  );
  const options = [
    "--noEmit",
    "--strict",
    "--exactOptionalPropertyTypes",
    "--types",
    "",
    "--module",
    "nodenext",
    "--target",
    "es2023",
  ];
  return new Promise((resolve) => {
    execFile(process.execPath, [TSC, ...options, "program.ts"], { cwd: folder }, (_, stdout) => resolve(stdout));
  });
}

const readFileTool = tool(
  "read-file",
  {
    type: "object",
    properties: {
      path: { type: "string", description: "The file.\nMust exist." },
      head: { type: "integer" },
      mode: { enum: ["fast", "slow"] },
      filter: { $ref: "#/$defs/filter" },
    },
    required: ["path"],
    $defs: {
      filter: {
        type: "object",
        properties: { not: { $ref: "#/$defs/filter" } },
        additionalProperties: { type: "number" },
      },
    },
  },
  {
    description: "Reads a file.",
    outputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  },
);

describe("declareTools", () => {
  it("declares arguments, results and the map of tools", () => {
    expect(declareTools([tool("now", { type: "object" }), readFileTool])).toContain(`
/** The arguments of fs:now. */
export type FsNowArgs = Record<string, never>;
/** The result of fs:now. */
export type FsNowResult = ToolResult;
`);
    expect(declareTools([readFileTool])).toContain(`
/** The arguments of fs:read-file. */
export interface FsReadFileArgs {
  /**
   * The file.
   * Must exist.
   */
  path: string;
  head?: number;
  mode?: "fast" | "slow";
`);
    expect(declareTools([readFileTool])).toContain(`
export interface Tools {
  /** Reads a file. */
  "fs:read-file": { args: FsReadFileArgs; result: FsReadFileResult };
}
`);
  });

  it("gives the same text for any order of the tools", () => {
    const [a, b, c] = [readFileTool, tool("b", {}), tool("b", {}, { server: "a" })];
    expect(declareTools([a, b, c])).toBe(declareTools([c, b, a, b]));
  });

  it("compiles under strict options, and checks a program's calls", async () => {
    const program = `
declare function call<Name extends keyof Tools>(name: Name, args: Tools[Name]["args"]): Promise<Tools[Name]["result"]>;
export const text: string | undefined = (await call("fs:read-file", { path: "x", head: 1, mode: "fast" })).structuredContent?.text;
export const now = (await call("fs:now", {})).content[0]?.type;
// @ts-expect-error A required argument is missing.
await call("fs:read-file", {});
// @ts-expect-error The value is not one of the choices.
await call("fs:read-file", { path: "x", mode: "quick" });
// @ts-expect-error There is no such tool.
await call("fs:none", {});
`;
    expect(await compile(declareTools([readFileTool, tool("now", { type: "object" })]), program)).toBe("");
  });

  it("compiles whatever names, texts and schemas a server sends", { meta: { covers: ["A4", "A9"] } }, async () => {
    const texts = [
      "*/ export const evil = 1; /*",
      "@ts-expect-error",
      " * @ts-ignore",
      "\u2028}\u0000\u202e",
      "`${x}`",
      "\\",
      "",
      '"',
      "__proto__",
      "constructor",
      "1a",
      "é",
      "a\r\nb",
    ];
    const hostile = texts.map((text, index) =>
      tool(
        text === "" ? "empty" : text,
        {
          type: "object",
          title: text,
          properties: Object.fromEntries([
            [text, { type: "string", description: text, default: text }],
            ["choice", { enum: [text, 1e21, -1, null, true, [1], { a: 1 }] }],
            [
              "numbers",
              { type: "object", properties: { [text]: { type: "string" } }, additionalProperties: { type: "number" } },
            ],
            ["list", { type: "array", items: { anyOf: [{ const: -1 }, { const: text }] } }],
            ["tuple", { type: "array", prefixItems: [{ type: "string" }, false, true] }],
          ]),
          required: [text],
        },
        {
          description: `${text}\n${text}`,
          outputSchema: { anyOf: [{ type: "object", properties: { [text]: {} } }, { type: "null" }] },
          server: index % 2 === 0 ? "s-1" : "3d",
        },
      ),
    );
    let deep: JsonObject = { type: "string" };
    for (let level = 0; level < 2_000; level++)
      deep = { type: "object", properties: { a: deep }, allOf: [{ $ref: "#" }] };
    const unions = tool("union", {
      anyOf: [
        { type: "object", properties: { a: {} } },
        { type: "object", properties: { b: {} } },
      ],
    });
    const sameNames = ["a b", "a_b", "a-b", "aB", "a B"].map((name) => tool(name, {}));
    const types = declareTools([
      ...hostile,
      ...sameNames,
      tool("deep", deep),
      unions,
      tool("tools", {}, { server: "Tool" }),
    ]);
    expect(types).not.toMatch(/[\p{Cf}\p{Zl}\u0000]/u);
    expect(types).not.toMatch(/^export const/m);
    expect(await compile(types)).toBe("");
  });
});
