/** Tests commands whose output can't be written. */
import { existsSync } from "node:fs";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { describe, expect, it } from "vitest";
import { runInShell, puppetServer, setUp } from "../helpers/run-plugboard.ts";

const many = () => {
  const tool = { name: "go", description: "x".repeat(70), inputSchema: { type: "object" } };
  return puppetServer({ tools: [tool], copies: 3000 });
};

describe("a command whose reader closes the pipe", () => {
  it.each(["true", "head -n 1 >/dev/null"])("exits without a message: plugboard tools | %s", async (reader) => {
    const ran = await runInShell(
      await setUp({ mcpServers: { a: many() } }),
      `plugboard tools | ${reader}; echo "\${PIPESTATUS[0]}"`,
    );
    expect(ran).toEqual({ status: 0, stdout: "141\n", stderr: "" });
  });

  it("stops its servers", async () => {
    const tool = { name: "go", description: "marked-for-output-test", inputSchema: { type: "object" } };
    const setup = await setUp({ mcpServers: { a: puppetServer({ tools: [tool], copies: 3000 }) } });
    // The brackets keep the shell's own command line from matching.
    const ran = await runInShell(setup, 'plugboard tools | true; pgrep -f "[m]arked-for-output-test" || echo none');
    expect(ran.stdout).toBe("none\n");
  });
});

it.runIf(existsSync("/dev/full"))("plugboard tools reports a full disk in one line", async () => {
  const ran = await runInShell(await setUp({ mcpServers: { a: scriptedLegacy() } }), "plugboard tools >/dev/full");
  expect(ran.status).toBe(74);
  expect(ran.stderr).toMatch(/^The output could not be written: .*ENOSPC.*\n$/);
});

it.runIf(existsSync("/dev/full"))("a command whose stderr can't be written still exits with its status", async () => {
  expect(await runInShell(await setUp(), "plugboard call x:y 2>/dev/full")).toMatchObject({ status: 2 });
});
