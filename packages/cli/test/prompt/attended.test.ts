/** Tests when a command may ask: only if the person can see the question and type an answer. */
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { describe, expect, it } from "vitest";
import { command, programInTerminal, setUp } from "../helpers/run-plugboard.ts";

const config = () => ({ mcp: { servers: { s: scriptedLegacy() }, permissions: { ask: ["s:echo"] } } });

describe("plugboard call that needs permission", { meta: { covers: ["R2.132"] } }, () => {
  it.each([
    ["stdin is not a terminal", "</dev/null"],
    ["stdin is a pipe that contains an answer", "< <(echo y)"],
    ["stderr is not a terminal", "2>error.txt"],
  ])("is denied without a question if %s", async (_, redirection) => {
    const setup = await setUp(config());
    const line = `'${process.execPath}' '${command}' call s:echo text=hello ${redirection}; echo "status $?"; cat error.txt`;
    const terminal = programInTerminal(setup, "bash", ["--norc", "--noprofile", "-c", line]);
    await terminal.waitFor("status 5");
    await terminal.exited;
    expect(terminal.output()).toContain("NOBODY_TO_ASK");
    expect(terminal.output()).not.toContain("Allow s:echo?");
  });
});
