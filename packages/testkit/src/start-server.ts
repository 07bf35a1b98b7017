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
  return node(fixture("modern"), "stdio");
}

/** The modern fixture with support for both eras. */
export function modernDualStdio(): Command {
  return node(fixture("modern"), "stdio", "--dual");
}

export function everythingStdio(): Command {
  return node(everything(), "stdio");
}

/** See `servers/scripted/flags.ts` for the flags. */
export function scriptedLegacy(...flags: readonly string[]): Command {
  return node(fixture("scripted-legacy"), ...flags);
}

/** See `servers/file-driven.ts`. */
export function fileDrivenServer(file: string, journal: string): Command {
  return node(fixture("file-driven"), file, journal);
}

/** Its tool appends each key to the journal. */
export function chaoticStdio(journal: string): Command {
  return node(fixture("chaotic"), "stdio", journal);
}

export async function startChaoticHttp(journal: string): Promise<RunningServer> {
  const server = startFixture(node(fixture("chaotic"), "http", journal));
  await server.stdout.waitFor(/listening .*\n/, START_TIMEOUT_MS);
  return running(/listening (.*)\n/.exec(server.stdout.text)?.[1] ?? "", server);
}

export async function startModernHttp(options: { readonly dual?: boolean } = {}): Promise<RunningServer> {
  const server = startFixture(node(fixture("modern"), "http", ...(options.dual ? ["--dual"] : [])));
  await server.stdout.waitFor(/listening .*\n/, START_TIMEOUT_MS);
  const url = /listening (.*)\n/.exec(server.stdout.text)?.[1] ?? "";
  return running(url, server);
}

export function startEverythingHttp(port?: number): Promise<RunningServer> {
  return startEverything("streamableHttp", "listening on port", "/mcp", port);
}

/** The same server on the HTTP+SSE transport of 2024-11-05. */
export function startEverythingSse(): Promise<RunningServer> {
  return startEverything("sse", "running on port", "/sse");
}

async function startEverything(mode: string, ready: string, path: string, given?: number): Promise<RunningServer> {
  const port = given ?? (await freePort());
  const server = startFixture(node(everything(), mode), { ...process.env, PORT: String(port) });
  await server.stderr.waitFor(ready, START_TIMEOUT_MS);
  return running(`http://127.0.0.1:${port}${path}`, server);
}

function running(url: string, server: ReturnType<typeof startFixture>): RunningServer {
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

function node(script: string, ...args: readonly string[]): Command {
  return { command: process.execPath, args: [script, ...args] };
}

function fixture(name: string): string {
  return fileURLToPath(new URL(`./servers/${name}.js`, import.meta.url));
}

function everything(): string {
  return fileURLToPath(import.meta.resolve("@modelcontextprotocol/server-everything/dist/index.js"));
}
