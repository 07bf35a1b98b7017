/** The six servers of the mixed load, and calls whose answers can be checked. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { modernDualStdio, scriptedLegacy, startEverythingHttp, startModernHttp } from "@plugboard/testkit/start-server";
import { filesystemStdio } from "@plugboard/testkit/third-party-servers";
import { startRunningHost } from "../../../daemon/test/helpers/running-host.ts";
import type { RunningHost } from "../../../daemon/test/helpers/running-host.ts";

export interface LoadCall {
  readonly server: string;
  readonly tool: string;
  readonly args: Record<string, unknown>;
  /** The text of the right result, or a pattern that captures the client's answer to the question of this call. */
  readonly expected: string | RegExp;
}

export interface LoadServers {
  readonly host: RunningHost;
  /** Functions that make one kind of call each, with arguments that depend on the number. */
  readonly calls: readonly ((number: number) => LoadCall)[];
  close(): Promise<void>;
}

/** The server that the test crashes. It also asks questions. */
export const CRASHING = "crashing";

export async function startLoadServers(): Promise<LoadServers> {
  const folder = await mkdtemp(join(tmpdir(), "plugboard-load-"));
  const file = (number: number) => join(folder, `${number % 100}.txt`);
  await Promise.all(Array.from({ length: 100 }, (_, number) => writeFile(file(number), `text of file ${number}`)));
  const servers = await Promise.all([startEverythingHttp(), startModernHttp()]);
  const [everything, modern] = servers;
  const host = await startRunningHost({
    asking: scriptedLegacy(),
    // The flag makes the definition different from `asking`: equal definitions would share one process.
    [CRASHING]: scriptedLegacy("--list-changed"),
    everything: { url: everything.url },
    files: filesystemStdio(folder),
    modern: { url: modern.url },
    dual: modernDualStdio(),
  });
  return {
    host,
    calls: [
      echo("asking", "text"),
      ask("asking", "ask", ANSWER),
      echo(CRASHING, "text"),
      ask(CRASHING, "ask", ANSWER),
      echo("everything", "message", "Echo: "),
      (n) => call("everything", "get-sum", { a: n, b: 1 }, `The sum of ${n} and 1 is ${n + 1}.`),
      (n) => call("files", "read_text_file", { path: file(n) }, `text of file ${n % 100}`),
      (n) =>
        call(
          "files",
          "get_file_info",
          { path: file(n) },
          new RegExp(`^size: ${"text of file ".length + String(n % 100).length}\n`),
        ),
      echo("modern", "text"),
      ask("modern", "ask_name", /^hello (.*), nothing$/),
      echo("dual", "text"),
      (n) => call("dual", "slow", { ms: 100, steps: 1 + (n % 3) }, `done in ${1 + (n % 3)} steps`),
    ],
    async close() {
      await host.close();
      await Promise.all(servers.map((server) => server.close()));
      await rm(folder, { recursive: true });
    },
  };
}

/** The result of the scripted server's `ask`, with the name that was given. */
const ANSWER = /^answer: \{"action":"accept","content":\{"name":"(.*)"\}\}$/;

function call(server: string, tool: string, args: Record<string, unknown>, expected: string | RegExp): LoadCall {
  return { server, tool, args, expected };
}

function echo(server: string, argument: string, prefix = "") {
  return (n: number) => call(server, "echo", { [argument]: `text ${n}` }, `${prefix}text ${n}`);
}

function ask(server: string, tool: string, expected: RegExp) {
  return () => call(server, tool, {}, expected);
}
