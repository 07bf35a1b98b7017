/** Fake `npx` that starts an installed server at once. The real `npx` needs a second of CPU to find it. */
import { mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

const installed = fileURLToPath(new URL("../../../../node_modules/.bin", import.meta.url));

/** Handles `npx -y @modelcontextprotocol/server-x …`. Returns a PATH that starts with the fake. */
export function fakeNpx(folder: string): string {
  const bin = join(folder, "quick-bin");
  mkdirSync(bin);
  const script = `#!/bin/sh\nname="\${2##*/}"\nshift 2\nexec "${installed}/mcp-$name" "$@"\n`;
  writeFileSync(join(bin, "npx"), script, { mode: 0o755 });
  return `${bin}${delimiter}${process.env["PATH"] ?? ""}`;
}
