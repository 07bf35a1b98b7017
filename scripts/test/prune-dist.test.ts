import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { pruneDist } from "../build/prune-dist.mjs";

let packages: string;
beforeEach(() => void (packages = mkdtempSync(join(tmpdir(), "prune-"))));
afterEach(() => rmSync(packages, { recursive: true }));

function write(...files: string[]): void {
  for (const file of files) {
    mkdirSync(dirname(join(packages, file)), { recursive: true });
    writeFileSync(join(packages, file), "");
  }
}

it("prune-dist removes only the build output of deleted sources", () => {
  const kept = [
    "mcp/src/wire/peer.ts",
    "mcp/dist/wire/peer.js",
    "mcp/dist/wire/peer.js.map",
    "mcp/dist/wire/peer.d.ts",
  ];
  const page = ["web/src/page.tsx", "web/dist/page.js", "web/dist/page.d.ts", "web/dist/.tsbuildinfo"];
  const stale = ["mcp/dist/wire/old.js", "mcp/dist/wire/old.js.map", "mcp/dist/wire/old.d.ts"];
  write(...kept, ...page, ...stale);

  pruneDist(packages);

  expect([...kept, ...page].filter((file) => !existsSync(join(packages, file)))).toEqual([]);
  expect(stale.filter((file) => existsSync(join(packages, file)))).toEqual([]);
});
