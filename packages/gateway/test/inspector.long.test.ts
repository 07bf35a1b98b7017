/** Tests the command line of the official inspector as a client of the gateway, over HTTP and stdio, in all its eras. */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { publishedProgram } from "@plugboard/testkit/published-servers";
import { everythingStdio, modernStdio } from "@plugboard/testkit/start-server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startRunningHost } from "../../daemon/test/helpers/running-host.ts";
import type { RunningHost } from "../../daemon/test/helpers/running-host.ts";

const plugboard = fileURLToPath(new URL("../../cli/bin/plugboard.js", import.meta.url));
const run = promisify(execFile);

let host: RunningHost;
beforeAll(async () => {
  host = await startRunningHost({ modern: modernStdio(), legacy: everythingStdio() });
});
afterAll(() => host?.close());

type Target = (host: RunningHost) => readonly string[];
const overHttp: Target = ({ url, token }) => [url, "--transport", "http", "--header", `Authorization: Bearer ${token}`];
/** Names all variables with `-e`, because the inspector passes on only some of them by itself. */
const overStdio: Target = ({ env }) => {
  const variables = Object.entries(env).flatMap(([name, value]) => ["-e", `${name}=${value}`]);
  return [process.execPath, plugboard, "stdio", ...variables];
};

const eras = ["legacy", "modern", "auto"];
const targets = [
  ["HTTP", overHttp],
  ["stdio", overStdio],
] as const;
const combinations = targets.flatMap(([transport, target]) => eras.map((era) => [era, transport, target] as const));

describe.each(combinations)("the inspector in the era %s over %s", (era, _, target) => {
  async function inspect(...request: readonly string[]): Promise<string> {
    const { command, args } = publishedProgram("@modelcontextprotocol/inspector");
    const options = ["--protocol-era", era, "--method", ...request];
    const { stdout } = await run(command, [...args, "--cli", ...target(host), ...options], { env: { ...host.env } });
    return stdout;
  }

  it("lists and calls tools", async () => {
    const { tools } = JSON.parse(await inspect("tools/list")) as { tools: { name: string }[] };
    const names = tools.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["modern__echo", "legacy__echo"]));
    const call = ["tools/call", "--tool-name"];
    expect(await inspect(...call, "modern__echo", "--tool-arg", "text=to modern")).toContain("to modern");
    expect(await inspect(...call, "legacy__echo", "--tool-arg", "message=to legacy")).toContain("to legacy");
  });

  it("lists and reads resources", async () => {
    expect(await inspect("resources/list")).toContain('"note://welcome"');
    const read = await inspect("resources/read", "--uri", "note://welcome");
    expect(read).toContain("Welcome to the modern fixture");
  });

  it("lists and gets prompts", async () => {
    expect(await inspect("prompts/list")).toContain('"legacy__simple-prompt"');
    const get = ["prompts/get", "--prompt-name", "modern__review", "--prompt-args", "language=Tcl"];
    expect(await inspect(...get)).toContain("Review this Tcl");
  });
});
