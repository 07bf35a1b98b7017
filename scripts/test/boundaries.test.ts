import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { checkBoundaries } from "../checks/check-boundaries.mjs";
import { root } from "../run.mjs";

interface Table {
  readonly layers: { readonly [source: string]: { readonly [layer: string]: readonly string[] } };
}

const boundaries = JSON.parse(readFileSync(join(root, "boundaries.json"), "utf8"));
const { layers } = boundaries as Table;

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

const PACKAGES = [
  "contracts",
  "store",
  "config",
  "mcp",
  "host",
  "gateway",
  "daemon",
  "remote",
  "agent",
  "cli",
  "testkit",
];

/** Written by hand, so that a wrong edge in boundaries.json is noticed. */
const MAY_IMPORT: Record<string, string[]> = {
  contracts: [],
  store: ["contracts"],
  config: ["contracts", "store"],
  mcp: ["contracts"],
  host: ["contracts", "store", "config", "mcp"],
  gateway: ["contracts", "store", "mcp"],
  daemon: ["agent", "contracts", "store", "config", "host", "gateway", "mcp/process"],
  remote: ["contracts"],
  agent: ["contracts"],
  cli: ["agent", "contracts", "store", "config", "host", "remote", "daemon", "mcp/process"],
  testkit: [],
};

describe("check-boundaries between packages", () => {
  const targets = [...PACKAGES, "mcp/process"];
  const edges = PACKAGES.flatMap((from) => targets.map((to) => ({ from, to })));
  const isLegal = ({ from, to }: { from: string; to: string }) =>
    MAY_IMPORT[from]?.some((allowed) => to === allowed || to.startsWith(`${allowed}/`)) === true;

  it.each(edges.filter((edge) => !isLegal(edge)))("rejects an import of $to in $from", ({ from, to }) => {
    const file = `packages/${from}/src/file.ts`;
    expect(violationsOf(file, importing(`@plugboard/${to}`))).toEqual([expect.stringContaining(`${file}:1: `)]);
  });

  it.each(["@plugboard/mcp", "@plugboard/host", "../models/open-model.ts", "node:http"])(
    "rejects an import of %s in the agent's loop",
    { meta: { covers: ["R2.8"] } },
    (specifier) => {
      const file = "packages/agent/src/loop/file.ts";
      expect(violationsOf(file, importing(specifier))).toEqual([expect.stringContaining(`${file}:1: `)]);
    },
  );

  it.each(edges.filter(isLegal))("accepts an import of $to in $from", ({ from, to }) => {
    expect(violationsOf(`packages/${from}/src/file.ts`, importing(`@plugboard/${to}`))).toEqual([]);
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
    const [first] = violationsOf("packages/remote/src/node/fetch.ts", source);
    expect(first).toMatch(/^packages\/remote\/src\/node\/fetch\.ts:1: /);
  });

  it("reports the line of a violation", () => {
    const source = `const a = 1;\n\nexport const b = () => {\n  return import("@plugboard/mcp");\n};\nexport { a };\n`;
    expect(violationsOf("packages/remote/src/node/fetch.ts", source)).toEqual([
      expect.stringMatching(/^packages\/remote\/src\/node\/fetch\.ts:4: may not import "@plugboard\/mcp"/),
    ]);
  });

  it.each(["ts", "tsx", "mts", "cts", "js", "mjs", "jsx"])("checks .%s files", (extension) => {
    const file = `packages/remote/src/node/fetch.${extension}`;
    expect(violationsOf(file, importing("@plugboard/mcp"))).toHaveLength(1);
  });

  it("accepts a template literal without expressions as a module name", () => {
    expect(violationsOf("packages/remote/src/node/fetch.ts", "export const x = await import(`node:path`);")).toEqual(
      [],
    );
  });

  it("ignores module names in comments and strings", () => {
    const source = `// import "@plugboard/mcp"\nexport const text = 'import "@plugboard/mcp"';\n`;
    expect(violationsOf("packages/remote/src/node/fetch.ts", source)).toEqual([]);
  });

  it("reports a file that can't be parsed", () => {
    expect(violationsOf("packages/remote/src/node/fetch.ts", "import {")[0]).toContain(
      "packages/remote/src/node/fetch.ts: ",
    );
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
    ["mcp/src/transport/lines/stdio-transport.ts", "node:child_process"],
    ["mcp/src/index.ts", "node:child_process"],
    ["host/src/core/host.ts", "node:child_process"],
    ["cli/src/main.ts", "node:child_process"],
    ["cli/src/main.ts", "child_process"],
    ["cli/src/commands/config/add-server.ts", "@plugboard/config/edit"],
    ["cli/src/commands/clients/import-servers.ts", "@plugboard/config/clients"],
    ["cli/src/commands/registry/search-registry.ts", "@plugboard/config/registry"],
    ["cli/src/commands/tokens/create-token.ts", "@plugboard/host/tokens"],
    ["web/src/views/servers/servers-view.tsx", "@plugboard/host/operations"],
    ["cli/src/commands/tools/call-tool.ts", "@plugboard/host/core"],
    ["cli/src/commands/tools/call-tool.ts", "@plugboard/host/workspace"],
    ["cli/src/tui/chat-app.ts", "@plugboard/host/operations"],
    ["cli/src/commands/servers/show-status.ts", "@plugboard/host/journal"],
    ["daemon/src/control/channels.ts", "@plugboard/host/forwarding"],
    ["daemon/src/http/routes.ts", "@plugboard/host/tracing"],
    ["gateway/src/requests/tool-requests.ts", "@plugboard/host"],
    ["gateway/src/requests/tool-requests.ts", "@plugboard/host/core"],
    ["gateway/src/front.ts", "child_process"],
    ["daemon/src/start.ts", "node:child_process"],
    ["host/src/policy/rule.ts", "zod"],
    ["host/src/policy/rule.ts", "zod/mini"],
    ["mcp/src/wire/message.ts", "zod"],
    ["cli/src/main.ts", "zod"],
    ["mcp/src/transport/streamable-http/http-transport.ts", "@modelcontextprotocol/client"],
  ])("rejects an import in %s of %s", (file, specifier) => {
    expect(violationsOf(`packages/${file}`, importing(specifier))).toContainEqual(
      expect.stringContaining(`packages/${file}:1: `),
    );
  });

  it.each([
    ["mcp/src/process/posix.ts", "node:child_process"],
    ["mcp/src/transport/streamable-http/http-transport.ts", "undici"],
    ["config/src/entry/config-schema.ts", "zod/mini"],
    ["store/src/files/file.ts", "node:fs/promises"],
    ["remote/src/node/socket.ts", "node:http"],
    ["cli/src/main.tsx", "react"],
    ["cli/src/workspace/open-host.ts", "@plugboard/host/core"],
    ["cli/src/commands/servers/show-server-list.ts", "@plugboard/host/offline"],
    ["daemon/src/chats/live-chat.ts", "@plugboard/host/workspace"],
    ["gateway/src/requests/tool-requests.ts", "@plugboard/host/forwarding"],
    ["testkit/src/good-server.ts", "@modelcontextprotocol/server"],
  ])("accepts an import in %s of %s", (file, specifier) => {
    expect(violationsOf(`packages/${file}`, importing(specifier))).toEqual([]);
  });
});

describe("check-boundaries for protocol revisions and eras", () => {
  it.each([
    [`export const newest = "2026-07-28";`, "2026-07-28"],
    [`export const isOld = (revision: string) => revision < "2025-06-18";`, "2025-06-18"],
    [`export const isNew = (era: string) => era === "modern";`, "modern"],
    [`export const isModernRevision = (): boolean => true;`, "isModernRevision"],
    [`export const LEGACY_ERRORS = [];`, "LEGACY_ERRORS"],
  ])("rejects %s above the dialects", (source, name) => {
    for (const folder of ["gateway/src/fronts", "host/src/calls", "daemon/src/http", "mcp/src/connection"]) {
      const file = `packages/${folder}/file.ts`;
      expect(violationsOf(file, source)).toEqual([expect.stringContaining(`${file}:1: "${name}" is reserved for `)]);
      rmSync(join(tree, file));
    }
  });

  it("accepts the names of revisions and eras in the dialects and in the table of revisions", () => {
    const source = `export const modern = "2026-07-28";`;
    for (const file of ["dialect/file.ts", "dialect/modern/file.ts", "session/revisions.ts"]) {
      expect(violationsOf(`packages/mcp/src/${file}`, source)).toEqual([]);
      rmSync(join(tree, `packages/mcp/src/${file}`));
    }
  });
});

const layerRows = Object.entries(layers).flatMap(([source, table]) =>
  Object.keys(table).map((layer): [string, string] => [layer, source]),
);

describe("check-boundaries between the folders of a layered package", () => {
  it.each(layerRows)("lets %s in %s import only the folders of its row", (layer, source) => {
    const table = layers[source]!;
    const file = `${source}/${layer}/file.ts`;
    const up = "../".repeat(layer.split("/").length);
    const folders = Object.keys(table);
    const violations = violationsOf(file, folders.map((other) => `import "${up}${other}/x.ts";`).join("\n"));
    const isAllowed = (other: string) => other === layer || table[layer]!.includes(other);
    const expected = folders.flatMap((other, index) =>
      isAllowed(other) ? [] : [`${file}:${index + 1}: "${up}${other}/x.ts": ${layer} may not import ${other}; `],
    );
    expect(violations).toEqual(expected.map((start) => expect.stringContaining(start)));
  });

  it.each(["../index.ts", "..", "../lazy.ts", "../../src/index.ts"])("rejects an import of %s in a folder", (above) => {
    const file = "packages/host/src/inbox/file.ts";
    expect(violationsOf(file, importing(above))).toEqual([expect.stringContaining(`${file}:1: `)]);
  });

  it.each(["../../src/workspace/x.ts", "../lib/../workspace/x.ts", "#workspace/x.js"])(
    "rejects another spelling of a folder that is not allowed: %s",
    (specifier) => {
      const file = "packages/host/src/inbox/file.ts";
      expect(violationsOf(file, importing(specifier))).toEqual([expect.stringContaining(`${file}:1: `)]);
    },
  );

  it("lets files directly in src import every folder", () => {
    expect(violationsOf("packages/host/src/lazy.ts", importing("./workspace/open-workspace.ts"))).toEqual([]);
  });

  it("reports a cycle of the folders directly in src, although the deeper folders have none", () => {
    const layers = { "packages/host/src": { "a/x": [], b: ["a/x"], "a/y": ["b"] } };
    expect(checkBoundaries(root, { ...boundaries, layers }).violations).toContainEqual(
      "boundaries.json: packages/host/src: a → b → a is a cycle",
    );
  });

  it.each(['export { Clock } from "@plugboard/contracts";', 'export type * from "@plugboard/contracts";'])(
    "rejects %s, which hides a dependency from its importer",
    (source) => {
      expect(violationsOf("packages/gateway/src/index.ts", source)).toEqual([
        'packages/gateway/src/index.ts:1: exports names of "@plugboard/contracts"; import them there',
      ]);
      rmSync(join(tree, "packages/gateway"), { recursive: true });
      expect(violationsOf("packages/host/src/index.ts", source)).toEqual([]);
    },
  );

  it("reports a folder that the table does not list", () => {
    expect(violationsOf("packages/host/src/novel/file.ts", "export {};")).toEqual([
      "packages/host/src/novel/file.ts: its folder is not listed in the layers of packages/host/src",
    ]);
  });

  it("reports a cycle in the table", () => {
    write("packages/contracts/src/a.ts", "export {};");
    const source = "packages/contracts/src";
    const cyclic = { ...boundaries, layers: { [source]: { a: ["b"], b: ["c"], c: ["a"] } } };
    expect(checkBoundaries(tree, cyclic).violations).toEqual([`boundaries.json: ${source}: a → b → c → a is a cycle`]);
  });
});

it("check-boundaries reports a package without a rule", () => {
  expect(violationsOf("packages/novel/src/index.ts", "export {};")).toEqual([
    "packages/novel/src/index.ts: no rule in boundaries.json covers this file",
  ]);
});

describe("the check-boundaries command", () => {
  const check = () =>
    spawnSync(process.execPath, [join(root, "scripts/checks/check-boundaries.mjs"), tree], { encoding: "utf8" });

  it("fails and names the file with the violation", () => {
    write("packages/remote/src/client.ts", importing("@plugboard/host"));
    const { status, stderr } = check();
    expect(stderr).toContain("packages/remote/src/client.ts:1: ");
    expect(status).toBe(1);
  });

  it("passes for a file without violations", () => {
    write("packages/remote/src/client.ts", importing("@plugboard/contracts"));
    expect(check()).toMatchObject({ status: 0, stderr: "" });
  });

  it("fails if there is no file to check", () => {
    mkdirSync(join(tree, "packages"));
    expect(check().status).toBe(1);
  });
});
