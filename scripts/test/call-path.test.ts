import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { root } from "../run.mjs";

it("docs/architecture.md lists every file that a cold call passes", { timeout: 60_000 }, async () => {
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, [join(root, "scripts/docs/call-path.mjs"), "--json"]);
  const measured = JSON.parse(stdout) as { [way: string]: string[] };
  const listed = listedFiles(readFileSync(join(root, "docs/architecture.md"), "utf8"));
  for (const [way, files] of Object.entries(measured)) {
    expect(files.length, way).toBeGreaterThan(50);
    expect({ [way]: files.filter((file) => !listed.has(file)) }).toEqual({ [way]: [] });
  }
});

/** Reads the table rows that `scripts/docs/call-path.mjs --write` has written. */
function listedFiles(page: string): Set<string> {
  const table = /<!-- call path: begin -->(.*)<!-- call path: end -->/s.exec(page)?.[1] ?? "";
  const rows = [...table.matchAll(/^\| `([\w/-]+)` \|(.*)$/gm)];
  return new Set(
    rows.flatMap(([, folder, cells]) => [...cells!.matchAll(/`([\w.-]+)`/g)].map(([, name]) => `${folder}/${name}`)),
  );
}
