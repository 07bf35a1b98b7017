/** Tests the commands for keys, also against a running host. */
import { describe, expect, it } from "vitest";
import { parseOutput } from "../../helpers/json-schema.ts";
import { runPiped, setUp, startCommand } from "../../helpers/run-plugboard.ts";
import type { Setup } from "../../helpers/run-plugboard.ts";

const ID = /^[0-9a-f]{16}$/;

async function rotate(setup: Setup): Promise<string> {
  const { stdout } = await runPiped(setup, "keys", "rotate", "--json");
  return ((await parseOutput("keys-rotate", stdout)) as { id: string }).id;
}

describe("plugboard keys", () => {
  it("says that there is no key before one is needed, and creates none", async () => {
    const setup = await setUp();
    for (let time = 0; time < 2; time++)
      expect((await runPiped(setup, "keys", "list")).stdout).toContain("There is no key yet.");
  });

  it("lists the keys with and without `list`, the one that encrypts first, without their secrets", async () => {
    const setup = await setUp();
    const first = await rotate(setup);
    const second = await rotate(setup);
    for (const id of [first, second]) expect(id).toMatch(ID);
    const { stdout } = await runPiped(setup, "keys", "list");
    expect(stdout).toMatch(
      new RegExp(
        `^KEY +USE +CREATED\\n${second} +encrypts and decrypts +\\d{4}-.*\\n${first} +decrypts +\\d{4}-.*\\n$`,
      ),
    );
    expect((await runPiped(setup, "keys")).stdout).toBe(stdout);
    const json = await parseOutput("keys-list", (await runPiped(setup, "keys", "list", "--json")).stdout);
    const createdAt = expect.any(Number) as number;
    expect(json).toEqual({
      keys: [
        { id: second, createdAt, encrypts: true },
        { id: first, createdAt, encrypts: false },
      ],
    });
  });

  it("drops an older key and says what is lost", async () => {
    const setup = await setUp();
    const [first, second] = [await rotate(setup), await rotate(setup)];
    const dropped = await runPiped(setup, "keys", "drop", first);
    expect(dropped).toMatchObject({ status: 0, stderr: "" });
    expect(dropped.stdout).toContain(`Dropped the key ${first}. What it has encrypted can't be decrypted any more`);
    const third = await rotate(setup);
    const json = (await runPiped(setup, "keys", "drop", second, "--json")).stdout;
    expect(await parseOutput("keys-drop", json)).toEqual({ id: second });
    expect((await runPiped(setup, "keys")).stdout).toMatch(new RegExp(`^KEY .*\\n${third} .*\\n$`));
  });

  it("refuses to drop the key that encrypts, or an unknown key", async () => {
    const setup = await setUp();
    const key = await rotate(setup);
    for (const [id, message] of [
      [key, "run `plugboard keys rotate` first"],
      ["0".repeat(16), `There is no key "${"0".repeat(16)}".`],
    ] as const) {
      const { status, stderr, stdout } = await runPiped(setup, "keys", "drop", id);
      expect([status, stdout]).toEqual([2, ""]);
      expect(stderr).toContain(message);
    }
  });

  it("changes the same keys with and without a running host", async () => {
    const setup = await setUp();
    const first = await rotate(setup);
    const server = startCommand(setup, "serve", "--port", "0");
    await server.stdout.waitFor("Stop with Ctrl-C", 15_000);
    const second = await rotate(setup);
    await runPiped(setup, "keys", "drop", first);
    expect((await runPiped(setup, "keys")).stdout).toMatch(new RegExp(`^KEY .*\\n${second} .*\\n$`));
  });
});
