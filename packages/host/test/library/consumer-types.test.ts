/** Compiles the types of the packed packages in a program without optional peer dependencies. */
import { execFile } from "node:child_process";
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
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const PACKAGES = ["contracts", "mcp", "host"];
const TIMEOUT_MS = 60_000;

const TSCONFIG = {
  compilerOptions: {
    strict: true,
    noEmit: true,
    target: "es2023",
    module: "nodenext",
    skipLibCheck: false,
    types: ["node"],
  },
  include: ["*.ts"],
};

/** Tool types of the official SDKs. */
const SDK_TYPES = `
/** Tool of @anthropic-ai/sdk. */
export interface AnthropicTool {
  name: string;
  description?: string;
  input_schema: { type: "object"; properties?: unknown | null; required?: Array<string> | null; [key: string]: unknown };
}

/** ChatCompletionFunctionTool of openai. */
export interface ChatTool {
  type: "function";
  function: { name: string; description?: string; parameters?: Record<string, unknown>; strict?: boolean | null };
}

/** FunctionTool of openai's responses. */
export interface ResponsesTool {
  type: "function";
  name: string;
  description?: string | null;
  parameters: { [key: string]: unknown } | null;
  strict: boolean | null;
}
`;

const PROGRAM = `
import { createHost, isHostError } from "@plugboard/host";
import type { EmbeddedHost, ServerEntry } from "@plugboard/host";
import type { AnthropicTool, ChatTool, ResponsesTool } from "./sdk-types.js";

const files: ServerEntry = { command: "npx", args: ["-y", "x"], roots: ["docs"] };
const host: EmbeddedHost = await createHost({ servers: { files }, config: ["user"] });
export const anthropic: AnthropicTool[] = host.tools.definitions("anthropic");
export const chat: ChatTool[] = host.tools.definitions("openai");
export const responses: ResponsesTool[] = host.tools.definitions("openai-responses");
await host.close().catch((error) => isHostError(error) && error.code);
`;

const run = promisify(execFile);
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "plugboard-consumer-"));
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  const workspaces = PACKAGES.flatMap((name) => ["-w", `packages/${name}`]);
  await run(npm, ["pack", "--ignore-scripts", "--pack-destination", folder, ...workspaces], { cwd: root });
  for (const name of PACKAGES) {
    const archive = readdirSync(folder).find((file) => file.startsWith(`plugboard-${name}-`))!;
    const target = join(folder, "node_modules", "@plugboard", name);
    mkdirSync(target, { recursive: true });
    await run("tar", ["-xzf", join(folder, archive), "-C", target, "--strip-components=1"]);
    const { dependencies = {} } = JSON.parse(readFileSync(join(target, "package.json"), "utf8"));
    for (const dependency of Object.keys(dependencies)) link(dependency);
  }
  link("@types/node");
  const written = { "tsconfig.json": JSON.stringify(TSCONFIG), "package.json": '{ "type": "module" }' };
  for (const [name, text] of Object.entries({ ...written, "sdk-types.ts": SDK_TYPES, "program.ts": PROGRAM })) {
    writeFileSync(join(folder, name), text);
  }
}, TIMEOUT_MS);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

it(
  "the packed types compile without OpenTelemetry and match the tool types of the official SDKs",
  { timeout: TIMEOUT_MS },
  async () => {
    expect(existsSync(join(folder, "node_modules", "@opentelemetry"))).toBe(false);
    const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
    const { stdout } = await run(process.execPath, [tsc, "-p", folder]).catch((error: { stdout: string }) => error);
    expect(stdout).toBe("");
  },
);

/** Links a dependency to the workspace's installed copy. Plugboard's own packages are packed instead. */
function link(name: string): void {
  const target = join(folder, "node_modules", name);
  if (name.startsWith("@plugboard/") || existsSync(target)) return;
  mkdirSync(dirname(target), { recursive: true });
  symlinkSync(join(root, "node_modules", name), target, "junction");
}
