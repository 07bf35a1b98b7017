/** The servers for tests: the command line of a stdio fixture, or a running HTTP server. */
import { fileURLToPath } from "node:url";
import { type Command, startFixture } from "./fixture-process.ts";
import { freePort } from "./free-port.ts";

export { type ScriptedHttp, type ScriptedRequest, startScriptedHttp } from "./scripted-http.ts";

export interface RunningServer {
  readonly url: string;
  /** Everything that it has written to stderr so far. */
  stderr(): string;
  /** Resolves with its stderr up to the end of the first match. */
  waitForStderr(pattern: RegExp | string, timeoutMs?: number): Promise<string>;
  close(): Promise<void>;
}

const START_TIMEOUT_MS = 15_000;

export function modernStdio(): Command {
  return nodeCommand(fixturePath("modern"), "stdio");
}

/** The modern fixture with support for both eras. */
export function modernDualStdio(): Command {
  return nodeCommand(fixturePath("modern"), "stdio", "--dual");
}

/** The official reference server with one feature of each kind (`server-everything`). */
export function everythingStdio(): Command {
  return nodeCommand(everythingPath(), "stdio");
}

/** See `servers/scripted/flags.ts` for the flags. */
export function scriptedLegacy(...flags: readonly string[]): Command {
  return nodeCommand(fixturePath("scripted-legacy"), ...flags);
}

/** See `servers/apps.ts`. `csp` is what some of its Apps declare. */
export function appsStdio(csp: object = {}): Command {
  return nodeCommand(fixturePath("apps"), JSON.stringify(csp));
}

/** See `servers/asks-flood.ts`. */
export function asksFloodStdio(): Command {
  return nodeCommand(fixturePath("asks-flood"));
}

/** See `servers/hostile-names.ts`. */
export function hostileNamesStdio(text: string): Command {
  return nodeCommand(fixturePath("hostile-names"), text);
}

/** See `servers/file-driven.ts`. */
export function fileDrivenServer(file: string, journal: string): Command {
  return nodeCommand(fixturePath("file-driven"), file, journal);
}

/** See `servers/skills.ts`. */
export function skillsStdio(era: "legacy" | "modern", ...flags: readonly string[]): Command {
  return nodeCommand(fixturePath("skills"), era, ...flags);
}

/** See `servers/chaotic.ts`. Its tool appends the key of each call to the journal file. */
export function chaoticStdio(journal: string): Command {
  return nodeCommand(fixturePath("chaotic"), "stdio", journal);
}

export function startChaoticHttp(journal: string): Promise<RunningServer> {
  return startListening(nodeCommand(fixturePath("chaotic"), "http", journal));
}

/** See `servers/conformance.ts`. */
export function conformanceStdio(era: "legacy" | "modern" | "dual"): Command {
  return nodeCommand(fixturePath("conformance"), era, "stdio");
}

export function startConformanceHttp(era: "legacy" | "modern" | "dual"): Promise<RunningServer> {
  return startListening(nodeCommand(fixturePath("conformance"), era, "http"));
}

export function startModernHttp(options: { readonly dual?: boolean } = {}): Promise<RunningServer> {
  return startListening(nodeCommand(fixturePath("modern"), "http", ...(options.dual ? ["--dual"] : [])));
}

/** Starts a fixture that prints its URL when it listens. */
async function startListening(command: Command): Promise<RunningServer> {
  const server = startFixture(command);
  await server.stdout.waitFor(/listening .*\n/, START_TIMEOUT_MS);
  return runningServer(/listening (.*)\n/.exec(server.stdout.text)?.[1] ?? "", server);
}

export function startEverythingHttp(port?: number): Promise<RunningServer> {
  return startEverything("streamableHttp", "listening on port", "/mcp", port);
}

/** The same server on the HTTP+SSE transport of 2024-11-05. */
export function startEverythingSse(): Promise<RunningServer> {
  return startEverything("sse", "running on port", "/sse");
}

async function startEverything(
  mode: string,
  readyMessage: string,
  path: string,
  givenPort?: number,
): Promise<RunningServer> {
  const port = givenPort ?? (await freePort());
  const server = startFixture(nodeCommand(everythingPath(), mode), { ...process.env, PORT: String(port) });
  await server.stderr.waitFor(readyMessage, START_TIMEOUT_MS);
  return runningServer(`http://127.0.0.1:${port}${path}`, server);
}

function runningServer(url: string, server: ReturnType<typeof startFixture>): RunningServer {
  return {
    url,
    stderr: () => server.stderr.text,
    async waitForStderr(pattern, timeoutMs = START_TIMEOUT_MS) {
      const end = await server.stderr.waitFor(pattern, timeoutMs);
      return server.stderr.text.slice(0, end);
    },
    close: () => server.close(),
  };
}

function nodeCommand(script: string, ...args: readonly string[]): Command {
  return { command: process.execPath, args: [script, ...args] };
}

function fixturePath(name: string): string {
  return fileURLToPath(new URL(`./servers/${name}.js`, import.meta.url));
}

function everythingPath(): string {
  return fileURLToPath(import.meta.resolve("@modelcontextprotocol/server-everything/dist/index.js"));
}
