/** Tests the command that `npm install --global` makes of the packed package, with each supported version of Node. */
import { once } from "node:events";
import type { Readable } from "node:stream";
import { nodeFolder } from "@plugboard/testkit/programs/node-programs";
import { filesystemStdio } from "@plugboard/testkit/third-party-servers";
import { VERSION } from "@plugboard/host";
import { describe, expect, it, onTestFinished } from "vitest";
import { installCommand } from "../helpers/installed-command.ts";

// The server runs on the same Node as the command, because the command passes its PATH on.
const server = `fs=node ${filesystemStdio(".").args.join(" ")}`;
const listFolder = ["call", "fs:list_directory", "path=."];

describe.each([20, 22, 24])("npm install --global on Node %i", (major) => {
  it("gives a command that prints its version, calls a tool of a real server, and serves it", async () => {
    const installed = await installCommand(nodeFolder(major));
    onTestFinished(() => installed.remove());
    expect(await installed.run("--version")).toBe(`${VERSION}\n`);
    expect(await installed.run(...listFolder, "--mcp-server", server)).toBe("[FILE] notes.md\n");

    const host = installed.start("serve", "--port", "0", "--mcp-server", server);
    const exited = once(host, "close");
    onTestFinished(async () => {
      host.kill();
      await exited;
    });
    await expect(firstMatch(host.stdout, /Plugboard is running at (\S+)/)).resolves.toMatch(
      /^http:\/\/127\.0\.0\.1:\d+$/,
    );
    expect(await installed.run(...listFolder, "--mcp-server", server)).toBe("[FILE] notes.md\n");
  });
});

/** Returns the group of the first match in the output. */
async function firstMatch(output: Readable, pattern: RegExp): Promise<string | undefined> {
  let printed = "";
  for await (const chunk of output.setEncoding("utf8")) {
    printed += chunk;
    const found = pattern.exec(printed);
    if (found) return found[1];
  }
  return undefined;
}
