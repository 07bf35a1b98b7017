import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sharedNames } from "../checks/check-names.mjs";

let tree: string;
beforeEach(() => void (tree = mkdtempSync(join(tmpdir(), "names-"))));
afterEach(() => rmSync(tree, { recursive: true }));

function write(file: string, source: string): void {
  mkdirSync(dirname(join(tree, file)), { recursive: true });
  writeFileSync(join(tree, file), source);
}

describe("sharedNames", () => {
  it("reports a name that files of two packages declare, as a type or a value", () => {
    write("packages/a/src/one.ts", "export interface Route {}\nexport const other = 1;\n");
    write("packages/b/src/two.tsx", "export function Route() {}\n");
    expect(sharedNames(tree, {})).toEqual(["Route is declared in packages/a/src/one.ts and packages/b/src/two.tsx"]);
    expect(sharedNames(tree, { Route: "a reason" })).toEqual([]);
  });

  it("allows names that are exported again, are not exported, or belong to a test", () => {
    write("packages/a/src/one.ts", "export type Route = string;\nexport const Route = String;\n");
    write("packages/a/src/index.ts", 'export { Route } from "./one.ts";\nexport type * from "./one.ts";\n');
    write("packages/b/src/two.ts", "class Route {}\nnew Route();\n");
    write("packages/b/test/two.test.ts", "export class Route {}\n");
    write("packages/testkit/src/three.ts", "export class Route {}\n");
    expect(sharedNames(tree, {})).toEqual([]);
  });
});
