/** Tests the command that `npm install --global` makes of the packed package, with each supported version of Node. */
import { nodeFolder } from "@plugboard/testkit/node-programs";
import { filesystemStdio } from "@plugboard/testkit/third-party-servers";
import { VERSION } from "@plugboard/host";
import { describe, expect, it, onTestFinished } from "vitest";
import { installCommand } from "../helpers/installed-command.ts";

describe.each([20, 22, 24])("npm install --global on Node %i", (major) => {
  it("gives a command that prints its version and calls a tool of a real server", async () => {
    const installed = await installCommand(nodeFolder(major));
    onTestFinished(() => installed.remove());
    expect(await installed.run("--version")).toBe(`${VERSION}\n`);
    // The server runs on the same Node, because the command passes its PATH on.
    const server = `fs=node ${filesystemStdio(".").args.join(" ")}`;
    expect(await installed.run("call", "fs:list_directory", "path=.", "--mcp-server", server)).toBe(
      "[FILE] notes.md\n",
    );
  });
});
