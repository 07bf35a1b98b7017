/** What plans and facts tell the page about the secrets of definitions and about the environment of the host. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { controlPaths } from "@plugboard/contracts";
import type { ConfigFacts, JsonObject, ServerEntry } from "@plugboard/contracts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openDoors } from "../helpers/doors.ts";
import type { Doors } from "../helpers/doors.ts";

const CANARY = "canary7f3b9e2d41c8";

let doors: Doors;
beforeAll(async () => void (doors = await openDoors({}, undefined, { CANARY_ENV: CANARY })));
afterAll(() => doors.close());

/** Opens a channel for operations. The plans of a channel belong to it. */
async function openOperations(holder: "page" | "socket") {
  const { body } = await doors.openChannel(holder, { operationsIn: { cwd: doors.host.env["HOME"]! } });
  const { channel } = body as { channel: string };
  return async (operation: string, ...args: unknown[]) =>
    (await doors.send(holder, "POST", controlPaths.operations(channel, `operations.${operation}`), args)).body;
}

async function writeServers(servers: { readonly [id: string]: ServerEntry }): Promise<void> {
  const file = doors.host.env["PLUGBOARD_CONFIG_PATH"]!;
  const { mcp } = JSON.parse(await readFile(file, "utf8")) as { mcp: JsonObject };
  await writeFile(file, JSON.stringify({ mcp: { ...mcp, servers } }));
}

describe("planServer", () => {
  it.each<[ServerEntry, string]>([
    [{ command: "${CANARY_ENV}" }, 'the command "${CANARY_ENV}" was not found in PATH'],
    [{ command: "./${CANARY_ENV}" }, 'the command "./${CANARY_ENV}" was not found: there is no /'],
    [{ command: "sh", cwd: "/nope/${CANARY_ENV}" }, "its working folder /nope/${CANARY_ENV} does not exist"],
  ])("reports the problem of %j to the page without the value of the variable", async (entry, message) => {
    const call = await openOperations("page");
    const plan = await call("planServer", { id: "new", scope: "user", entry });
    expect(plan).toMatchObject({ problems: [{ message: expect.stringContaining(message) as string }] });
    expect(JSON.stringify(plan)).not.toContain(CANARY);
  });

  it("does not show the page where a command was found if a variable leads there", async () => {
    const folder = join(doors.host.env["HOME"]!, CANARY);
    await mkdir(folder);
    await writeFile(join(folder, "no-such"), "#!/no/interpreter\n", { mode: 0o755 });
    await writeFile(join(folder, "no-right"), "", { mode: 0o644 });
    const call = await openOperations("page");
    for (const [command, message] of [
      ["no-such", 'the command "no-such" is a script for /no/interpreter'],
      ["no-right", 'make "no-right" executable'],
    ]) {
      const entry = { command, env: { PATH: "${HOME}/${CANARY_ENV}" } };
      const plan = await call("planServer", { id: "new", scope: "user", entry });
      expect(plan).toMatchObject({ problems: [{ message: expect.stringContaining(message!) as string }] });
      expect(JSON.stringify(plan)).not.toContain(CANARY);
    }
  });
});

describe("configFacts", () => {
  const servers = {
    program: { command: "${CANARY_ENV}/run", cwd: "/x/${CANARY_ENV}", env: { PATH: "/y/${CANARY_ENV}" } },
    written: { command: "run", cwd: `/x/${CANARY}` },
    url: { url: `https://example.com/${CANARY}/mcp` },
    expanded: { url: "https://example.com/${CANARY_ENV}/mcp" },
  };

  it("masks secrets and expands no variables for the page", { meta: { covers: ["A12"] } }, async () => {
    await writeServers(servers);
    const facts = (await (await openOperations("page"))("configFacts")) as ConfigFacts;
    expect(facts.servers).toMatchObject([
      { program: { command: "${CANARY_ENV}/run", cwd: "/x/${CANARY_ENV}", path: "/y/${CANARY_ENV}" } },
      { program: { command: "run", cwd: "/x/***" } },
      { url: "https://example.com/***/mcp" },
      { url: "https://example.com/${CANARY_ENV}/mcp" },
    ]);
    expect(JSON.stringify(facts)).not.toContain(CANARY);
  });

  it("expands variables for a program on the socket, which may read secrets", async () => {
    await writeServers(servers);
    const facts = (await (await openOperations("socket"))("configFacts")) as ConfigFacts;
    expect(facts.servers).toMatchObject([
      { program: { command: `${CANARY}/run`, cwd: `/x/${CANARY}`, path: `/y/${CANARY}` } },
      { program: { cwd: `/x/${CANARY}` } },
      { url: `https://example.com/${CANARY}/mcp` },
      { url: `https://example.com/${CANARY}/mcp` },
    ]);
  });
});
