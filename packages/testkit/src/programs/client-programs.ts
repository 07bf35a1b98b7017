/** Finds real MCP clients, to run their own commands. `npm run test:long` installs them. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const packages = fileURLToPath(new URL("../../long/node_modules", import.meta.url));
const platform = `${process.platform}-${process.arch}`;

/** The programs and their first arguments. A client without a package for this platform is undefined. */
export const clientPrograms: { readonly [client: string]: readonly string[] | undefined } = {
  codex: scriptOf("@openai/codex"),
  gemini: scriptOf("@google/gemini-cli"),
  "claude-code": binaryOf(`@anthropic-ai/claude-code-${platform}`, "claude"),
  opencode: binaryOf(`opencode-${platform}`, "bin/opencode"),
};

/** Runs the script of a package with this Node. */
function scriptOf(name: string): readonly string[] | undefined {
  const file = join(packages, name, "package.json");
  if (!existsSync(file)) return undefined;
  const { bin } = JSON.parse(readFileSync(file, "utf8")) as { bin: { readonly [name: string]: string } };
  return [process.execPath, join(dirname(file), Object.values(bin)[0]!)];
}

function binaryOf(name: string, path: string): readonly string[] | undefined {
  const program = join(packages, name, process.platform === "win32" ? `${path}.exe` : path);
  return existsSync(program) ? [program] : undefined;
}
