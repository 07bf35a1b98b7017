/** Tests the snippets of docs/library.md and the README files: all compile, and all run unless marked `no-run`. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { fakeNpx } from "../helpers/fake-npx.ts";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const packagePages = readdirSync(join(root, "packages")).map((name) => `packages/${name}/README.md`);
const pages = ["README.md", "docs/library.md", ...packagePages.filter((page) => existsSync(join(root, page)))];
const snippets = pages.flatMap((page) => {
  const text = readFileSync(join(root, page), "utf8");
  const fences = [...text.matchAll(/^```[jt]s( no-run)?\n(.*?)^```/gms)];
  return fences.map(([, noRun, code]) => ({ code: code!, runs: !noRun }));
});

/** Creates the host for snippets that use a `host` but do not create one. */
const PRELUDE = `
import { createHost } from "@plugboard/host";
const npm = (name, ...args) => ({ command: "npx", args: ["-y", "@modelcontextprotocol/server-" + name, ...args] });
globalThis.host = await createHost({
  servers: { files: npm("filesystem", "."), memory: npm("memory"), everything: npm("everything") },
  config: ["project"],
  permissions: { allow: ["*"] },
});
await host.ready();
`;

const TSCONFIG = {
  compilerOptions: {
    allowJs: true,
    checkJs: true,
    noEmit: true,
    strict: true,
    noImplicitAny: false,
    target: "es2023",
    module: "nodenext",
    types: ["node"],
    skipLibCheck: true,
  },
  include: ["snippet-*.mjs", "globals.d.ts"],
};

let folder: string;
let path: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "plugboard-library-"));
  mkdirSync(join(folder, "home"));
  path = fakeNpx(folder);
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"), "junction");
  const files = {
    "package.json": "{}",
    ".npmrc": "offline=true\n",
    "notes.md": "Buy milk.\n",
    ".mcp.json":
      '{ "mcpServers": { "waiting": { "command": "npx", "args": ["-y", "@modelcontextprotocol/server-memory"] } } }',
    "prelude.mjs": PRELUDE,
    "globals.d.ts": 'declare const host: import("@plugboard/host").EmbeddedHost;\n',
    "tsconfig.json": JSON.stringify(TSCONFIG),
    "run.mjs":
      ["prelude.mjs", ...snippets.flatMap(({ runs }, index) => (runs ? [nameOf(index)] : []))]
        .map(importing)
        .join("\n") + "\nawait host.close();\n",
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  snippets.forEach(({ code }, index) => writeFileSync(join(folder, nameOf(index)), `${code}\nexport {};\n`));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("the snippets of docs/library.md and of all README files compile", async () => {
  expect(snippets.filter(({ runs }) => runs).length).toBeGreaterThan(10);
  const { stdout, code } = await node(join(root, "node_modules", "typescript", "bin", "tsc"), "-p", folder);
  expect({ stdout, code }).toEqual({ stdout: "", code: 0 });
});

it("the snippets of docs/library.md and of all README files run in order", async () => {
  const { stderr, code } = await node("run.mjs");
  expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
}, 120_000);

function nameOf(index: number): string {
  return `snippet-${String(index + 1).padStart(2, "0")}.mjs`;
}

function importing(file: string): string {
  return `await import("./${file}").catch((error) => { throw new Error("${file}", { cause: error }); });`;
}

async function node(...args: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const env = {
    HOME: join(folder, "home"),
    XDG_STATE_HOME: join(folder, "state"),
    XDG_CONFIG_HOME: join(folder, "config"),
  };
  const child = spawn(process.execPath, args, {
    cwd: folder,
    timeout: 110_000,
    env: { PATH: path, ...env },
  });
  const closed = once(child, "close");
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = (await closed) as [number];
  return { code, stdout, stderr };
}
