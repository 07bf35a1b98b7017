/** What plans and facts tell the page about the secrets of definitions and about the environment of the host. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { definitionHash } from "@plugboard/config";
import { configureEntry } from "@plugboard/config/edit";
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

describe("planServer with masked values", () => {
  const headers = { Authorization: `Bearer ${CANARY}` };
  const login = { type: "client_credentials", client_id: "id", client_secret: CANARY } as const;
  const auth = { ...login, token_url: "https://login.example/token" };
  const masked = { type: "client_credentials", client_id: "***", client_secret: "***" } as const;
  const command = { command: "sh", args: ["run", "--verbose"], env: { KEY: CANARY } };
  const env = { KEY: "***" };
  const reference = { url: "https://a.example/mcp", headers: { A: { $cmd: ["print", "--token", CANARY] } } };
  const otherUrl = (url: string) => ({ url, headers: { Authorization: "***" } });

  async function plan(old: ServerEntry, entry: object): Promise<unknown> {
    await writeServers({ old });
    return (await openOperations("page"))("planServer", { id: "old", scope: "user", entry, replace: true });
  }

  it.each<[string, ServerEntry, object]>([
    [
      "another token_url",
      { url: "https://a.example/mcp", auth },
      { auth: { ...masked, token_url: "https://evil.example/token" } },
    ],
    [
      "a new token_url",
      { url: "https://a.example/mcp", auth: login },
      { auth: { ...masked, token_url: "https://evil.example/token" } },
    ],
    ["no token_url", { url: "https://a.example/mcp", auth }, { auth: masked }],
    ["another site", { url: "https://a.example/mcp", headers }, otherUrl("https://evil.example/mcp")],
    ["another variable", { url: "${BASE_URL}/mcp", headers }, otherUrl("${NOPE:-http://127.0.0.1:9}/mcp")],
    [
      "a host in other case of a variable",
      { url: "https://${A_HOST}/mcp", headers },
      otherUrl("https://${a_host}/mcp"),
    ],
    [
      "a host before a variable",
      { url: "https://a.example/mcp", headers },
      otherUrl("https://evil.example${HOME}@a.example/mcp"),
    ],
    ["another command", command, { ...command, command: "evil", env }],
    ["other arguments", command, { ...command, args: ["evil"], env }],
    ["another folder", command, { ...command, cwd: "/tmp", env }],
    ["a variable that loads code", command, { ...command, env: { ...env, LD_PRELOAD: "/tmp/evil.so" } }],
    ["another command for a header", reference, { headers: { A: { $cmd: ["evil", "--token", "***"] } } }],
  ])("puts no secret back if the entry has %s", { meta: { covers: ["S8"] } }, async (_, old, entry) => {
    const url = "url" in old ? { url: old.url } : {};
    expect(await plan(old, { ...url, ...entry })).toMatchObject({
      error: { code: "USAGE", details: { message: "type a masked value (***) again" } },
    });
  });

  it.each<[string, ServerEntry, object]>([
    ["another path", { url: "https://a.example/mcp", headers }, otherUrl("https://a.example/other")],
    ["the same variable", { url: "${BASE_URL}/mcp", headers }, otherUrl("${BASE_URL}/mcp")],
    [
      "the same token_url",
      { url: "https://a.example/mcp", auth },
      { url: "https://a.example/mcp", auth: { ...masked, token_url: auth.token_url } },
    ],
    ["the same folder", { ...command, cwd: `/x/${CANARY}` }, { ...command, cwd: "/x/***", env }],
    ["the same command", command, { ...command, env: { ...env, MORE: "1" } }],
  ])("puts the secrets back if the entry has %s", async (_, old, entry) => {
    const planned = await plan(old, entry);
    expect(planned).toMatchObject({ id: "old", plan: expect.any(String) as string });
    expect(JSON.stringify(planned)).not.toContain(CANARY);
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

  it("has digests from which the page can't find out a short secret", { meta: { covers: ["A12"] } }, async () => {
    const withPin = (pin: string) => ({ command: "run", env: { PIN: pin } });
    await writeServers({ one: withPin("1234"), same: withPin("1234"), other: withPin("1235") });
    const facts = (await (await openOperations("page"))("configFacts")) as ConfigFacts;
    const [one, same, other] = facts.servers.map(({ digest }) => digest);
    expect(one).toBe(same);
    expect(one).not.toBe(other);
    const { file } = facts.servers[0]!;
    const { server } = await configureEntry("one", withPin("1234"), file, { source: "user", folder: "" });
    expect(one).not.toBe(definitionHash({ ...server, id: "" }));
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
