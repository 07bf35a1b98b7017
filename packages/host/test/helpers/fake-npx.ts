/** Provides a fake `npx` that starts an installed server at once. The real `npx` takes a second to find the server. */
import { mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

const INSTALLED_BIN = fileURLToPath(new URL("../../../../node_modules/.bin", import.meta.url));

/** Creates an `npx` for `npx -y @modelcontextprotocol/server-x …`. Returns a PATH on which it is found first. */
export function fakeNpx(folder: string): string {
  const bin = join(folder, "bin");
  mkdirSync(bin);
  const script = `#!/bin/sh\nname="\${2##*/}"\nshift 2\nexec "${INSTALLED_BIN}/mcp-$name" "$@"\n`;
  writeFileSync(join(bin, "npx"), script, { mode: 0o755 });
  return `${bin}${delimiter}${process.env["PATH"] ?? ""}`;
}
