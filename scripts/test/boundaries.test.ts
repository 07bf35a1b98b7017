import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { checkBoundaries } from "../check-boundaries.mjs";
import { root } from "../run.mjs";

const boundaries = JSON.parse(readFileSync(join(root, "boundaries.json"), "utf8"));

let tree: string;
beforeEach(() => void (tree = mkdtempSync(join(tmpdir(), "boundaries-"))));
afterEach(() => rmSync(tree, { recursive: true }));

function write(file: string, source: string): void {
  mkdirSync(dirname(join(tree, file)), { recursive: true });
  writeFileSync(join(tree, file), source);
}

function violationsOf(file: string, source: string): string[] {
  write(file, source);
  const { files, violations } = checkBoundaries(tree, boundaries);
  expect(files).toBe(1);
  return violations;
}

const importing = (specifier: string) => `import { x } from "${specifier}";\nexport const y = x;\n`;

const PACKAGES = ["contracts", "mcp", "host", "agent", "gateway", "daemon", "remote", "cli", "web", "testkit"];

const MAY_IMPORT: Record<string, string[]> = {
  contracts: [],
  mcp: ["contracts"],
  host: ["contracts", "mcp"],
  agent: ["contracts"],
  gateway: ["contracts", "host", "mcp"],
  daemon: ["contracts", "host", "gateway", "agent", "mcp/process"],
  remote: ["contracts"],
  cli: ["contracts", "host", "remote", "daemon", "agent", "mcp/process"],
  web: ["contracts", "remote"],
  testkit: [],
};

describe("check-boundaries between packages", () => {
  const targets = [...PACKAGES, "mcp/process"];
  const edges = PACKAGES.flatMap((from) => targets.map((to) => ({ from, to })));
  const isLegal = ({ from, to }: { from: string; to: string }) =>
    MAY_IMPORT[from]?.some((allowed) => to === allowed || to.startsWith(`${allowed}/`)) === true;

  it.each(edges.filter((edge) => !isLegal(edge)))("rejects an import of $to in $from", ({ from, to }) => {
    const file = `packages/${from}/src/deep/file.ts`;
    expect(violationsOf(file, importing(`@plugboard/${to}`))).toEqual([expect.stringContaining(`${file}:1: `)]);
  });

  it.each(edges.filter(isLegal))("accepts an import of $to in $from", ({ from, to }) => {
    expect(violationsOf(`packages/${from}/src/deep/file.ts`, importing(`@plugboard/${to}`))).toEqual([]);
  });
});

describe("check-boundaries", () => {
  it.each([
    `import { x } from "@plugboard/mcp"; x();`,
    `import {} from "@plugboard/mcp";`,
    `import "@plugboard/mcp";`,
    `import type { X } from "@plugboard/mcp"; export type Y = X;`,
    `import { type X } from "@plugboard/mcp"; export type Y = X;`,
    `export { x } from "@plugboard/mcp";`,
    `export {} from "@plugboard/mcp";`,
    `export type { X } from "@plugboard/mcp";`,
    `export * from "@plugboard/mcp";`,
    `export * as mcp from "@plugboard/mcp";`,
    `export const x = await import("@plugboard/mcp");`,
    "export const x = await import(`@plugboard/mcp`);",
    `export const load = () => import("@plugboard/mcp/wire");`,
    `export type X = import("@plugboard/mcp").X;`,
    `export type X = typeof import("@plugboard/mcp");`,
    `import mcp = require("@plugboard/mcp"); mcp();`,
    `export const x = require("@plugboard/mcp");`,
    `/// <reference types="@plugboard/mcp" />\nexport {};`,
    `export const x = await import("@plugboard/" + "mcp");`,
    `import { createRequire } from "node:module"; createRequire(import.meta.url)("@plugboard/mcp");`,
    `import * as m from "node:module"; m["createRequire"](import.meta.url)("@plugboard/mcp");`,
    'import * as m from "node:module"; m[`createRequire`](import.meta.url)("@plugboard/mcp");',
    `process.getBuiltinModule("node:child_process");`,
    `const { getBuiltinModule } = process; getBuiltinModule("fs");`,
    `import { x } from "../../mcp/src/index.ts"; x();`,
    `import { x } from "#../../mcp/dist/index.js"; x();`,
    `import { x } from "/srv/mcp/index.js"; x();`,
    `import { x } from "file:///srv/mcp/index.js"; x();`,
    `import { x } from "data:text/javascript,export const x = 1"; x();`,
  ])("rejects %j", (source) => {
    const [first] = violationsOf("packages/agent/src/loop.ts", source);
    expect(first).toMatch(/^packages\/agent\/src\/loop\.ts:1: /);
  });

  it("reports the line", () => {
    const source = `const a = 1;\n\nexport const b = () => {\n  return import("@plugboard/mcp");\n};\nexport { a };\n`;
    expect(violationsOf("packages/agent/src/loop.ts", source)).toEqual([
      expect.stringMatching(/^packages\/agent\/src\/loop\.ts:4: may not import "@plugboard\/mcp"/),
    ]);
  });

  it.each(["ts", "tsx", "mts", "cts", "js", "mjs", "jsx"])("checks .%s files", (extension) => {
    const file = `packages/agent/src/loop.${extension}`;
    expect(violationsOf(file, importing("@plugboard/mcp"))).toHaveLength(1);
  });

  it("accepts a template literal without expressions as a module name", () => {
    expect(violationsOf("packages/agent/src/loop.ts", "export const x = await import(`node:path`);")).toEqual([]);
  });

  it("ignores module names in comments and strings", () => {
    const source = `// import "@plugboard/mcp"\nexport const text = 'import "@plugboard/mcp"';\n`;
    expect(violationsOf("packages/agent/src/loop.ts", source)).toEqual([]);
  });

  it("reports a file that can't be parsed", () => {
    expect(violationsOf("packages/agent/src/loop.ts", "import {")[0]).toContain("packages/agent/src/loop.ts: ");
  });
});

describe("check-boundaries for builtins and third-party packages", { meta: { covers: ["R4.11"] } }, () => {
  it.each([
    ["contracts/src/a.ts", "node:path"],
    ["contracts/src/a.ts", "fs"],
    ["contracts/src/a.ts", "undici"],
    ["remote/src/client.ts", "node:http"],
    ["remote/src/client.ts", "http"],
    ["remote/src/nodes/client.ts", "node:http"],
    ["web/src/page.tsx", "node:path"],
    ["mcp/src/transport/lines/stdio-transport.ts", "node:child_process"],
    ["mcp/src/processes/spawn.ts", "node:child_process"],
    ["host/src/host.ts", "node:child_process"],
    ["cli/src/main.ts", "node:child_process"],
    ["cli/src/main.ts", "child_process"],
    ["gateway/src/front.ts", "child_process"],
    ["daemon/src/start.ts", "node:child_process"],
    ["host/src/policy/rule.ts", "zod"],
    ["host/src/policy/rule.ts", "zod/mini"],
    ["mcp/src/wire/read.ts", "zod"],
    ["cli/src/main.ts", "zod"],
    ["mcp/src/transport/streamable-http/http-transport.ts", "@modelcontextprotocol/client"],
  ])("rejects an import in %s of %s", (file, specifier) => {
    expect(violationsOf(`packages/${file}`, importing(specifier))).toEqual([
      expect.stringContaining(`packages/${file}:1: `),
    ]);
  });

  it.each([
    ["mcp/src/process/posix/spawn.ts", "node:child_process"],
    ["mcp/src/transport/streamable-http/http-transport.ts", "undici"],
    ["host/src/config/schema.ts", "zod/mini"],
    ["host/src/store/file.ts", "node:fs/promises"],
    ["remote/src/node/socket.ts", "node:http"],
    ["web/src/page.tsx", "react"],
    ["testkit/src/good-server.ts", "@modelcontextprotocol/server"],
  ])("accepts an import in %s of %s", (file, specifier) => {
    expect(violationsOf(`packages/${file}`, importing(specifier))).toEqual([]);
  });
});

describe("check-boundaries between the layers of mcp", () => {
  it.each([
    ["wire/peer.ts", "../dialect/session.ts"],
    ["wire/peer.ts", "../transport/stdio.ts"],
    ["wire/peer.ts", "../process/spawn.ts"],
    ["wire/peer.ts", "../connection/state.ts"],
    ["wire/peer.ts", "../catalog/list.ts"],
    ["wire/deep/peer.ts", "../../dialect/session.ts"],
    ["wire/peer.ts", "../../src/dialect/session.ts"],
    ["wire/peer.ts", "../index.ts"],
    ["wire/peer.ts", ".."],
    ["wire/peer.ts", "#dialect/session.js"],
    ["transport/http.ts", "../dialect/session.ts"],
    ["transport/http.ts", "../connection/state.ts"],
    ["process/spawn.ts", "../wire/peer.ts"],
    ["process/spawn.ts", "../transport/stdio.ts"],
    ["process/spawn.ts", "../oauth/flow.ts"],
    ["dialect/legacy/client.ts", "../../process/spawn.ts"],
    ["dialect/modern/client.ts", "../../connection/state.ts"],
  ])("rejects an import in %s of %s", (file, specifier) => {
    expect(violationsOf(`packages/mcp/src/${file}`, importing(specifier))).toEqual([
      expect.stringContaining(`packages/mcp/src/${file}:1: `),
    ]);
  });

  it.each([
    ["wire/peer.ts", "./message.ts"],
    ["wire/peer.ts", "../clock.ts"],
    ["transport/stdio.ts", "../process/index.ts"],
    ["transport/stdio.ts", "../wire/index.ts"],
    ["dialect/legacy/client.ts", "../../wire/peer.ts"],
    ["connection/connection.ts", "../dialect/session.ts"],
    ["index.ts", "./connection/index.ts"],
  ])("accepts an import in %s of %s", (file, specifier) => {
    expect(violationsOf(`packages/mcp/src/${file}`, importing(specifier))).toEqual([]);
  });
});

it("check-boundaries reports a package without a rule", () => {
  expect(violationsOf("packages/novel/src/index.ts", "export {};")).toEqual([
    "packages/novel/src/index.ts: no rule in boundaries.json covers this file",
  ]);
});

describe("the check-boundaries command", () => {
  const check = () =>
    spawnSync(process.execPath, [join(root, "scripts/check-boundaries.mjs"), tree], { encoding: "utf8" });

  it("fails and names the file with the violation", () => {
    write("packages/web/src/page.ts", importing("@plugboard/host"));
    const { status, stderr } = check();
    expect(stderr).toContain("packages/web/src/page.ts:1: ");
    expect(status).toBe(1);
  });

  it("passes for a file without violations", () => {
    write("packages/web/src/page.ts", importing("@plugboard/remote"));
    expect(check()).toMatchObject({ status: 0, stderr: "" });
  });

  it("fails if there is no file to check", () => {
    mkdirSync(join(tree, "packages"));
    expect(check().status).toBe(1);
  });
});
