/** Tests which file and command `connect` chooses, what it shows, and how `disconnect` undoes it. */
import { chmod, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { CLIENT_NAMES } from "@plugboard/contracts";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CLIENTS } from "#clients/client-table.js";
import { chooseCommand } from "#connect/choose-command.js";
import { CLIENT_TRAITS } from "#connect/client-traits.js";
import { gatewayDocument } from "#connect/gateway-entry.js";
import { listClients } from "#connect/list-clients.js";
import { maskLine } from "#connect/mask-line.js";
import { planConnect } from "#connect/plan-connect.js";
import { writeChange } from "#connect/write-change.js";
import { valueAt } from "#connect/documents/edit-document.js";
import { parseDocument } from "#clients/syntax/parse-document.js";
import { readLayerFromText } from "#read/read-layer.js";
import { DOCUMENTED, fixtureText, HTTP, setUpHome, STDIO, withProfile } from "./client-setups.ts";

describe("the file that connect writes", () => {
  it.each([
    ["claude-code", ".mcp.json"],
    ["cursor", ".cursor/mcp.json"],
    ["vscode", ".vscode/mcp.json"],
    ["codex", ".codex/config.toml"],
    ["gemini", ".gemini/settings.json"],
    ["opencode", "opencode.json"],
    ["zed", ".zed/settings.json"],
  ] as const)("is in the project with --scope project for %s", async (client, path) => {
    const home = await setUpHome(client);
    const plan = await home.connect(STDIO, "project");
    expect(plan.file).toBe(join(home.project, path));
    expect((await stat(plan.file)).mode & 0o777).toBe(0o666 & ~process.umask());
    const inHome = { ...home.places, project: home.home };
    await expect(planConnect(client, "project", STDIO, inHome)).rejects.toMatchObject({ code: "USAGE" });
    expect(await home.disconnect()).toMatchObject({ scope: "project", action: "remove" });
    expect(await readdir(home.project)).toEqual([]);
  });

  it.each(["claude-desktop", "windsurf", "goose"] as const)("can't be in a project for %s", async (client) => {
    const home = await setUpHome(client);
    await expect(home.plan(STDIO, "project")).rejects.toMatchObject({ code: "USAGE" });
  });

  it.each([
    ["codex", { CODEX_HOME: "/x/codex" }, "/x/codex/config.toml"],
    ["claude-code", { CLAUDE_CONFIG_DIR: "/x/claude" }, "/x/claude/.claude.json"],
    ["opencode", { XDG_CONFIG_HOME: "/x/config" }, "/x/config/opencode/opencode.json"],
    ["zed", { XDG_CONFIG_HOME: "/x/config" }, "/x/config/zed/settings.json"],
    ["goose", { XDG_CONFIG_HOME: "/x/config" }, "/x/config/goose/config.yaml"],
    ["claude-desktop", { XDG_CONFIG_HOME: "/x/config" }, "/x/config/Claude/claude_desktop_config.json"],
  ] as const)("of %s is in the folder that the environment %o names", async (client, env, file) => {
    const { places } = await setUpHome(client);
    expect(await planConnect(client, "user", STDIO, { ...places, env })).toMatchObject({ file });
  });

  it("is the file that exists if the client reads several, or the file with an entry for Plugboard", async () => {
    const home = await setUpHome("opencode");
    const jsonc = join(home.home, ".config/opencode/opencode.jsonc");
    await mkdir(dirname(jsonc), { recursive: true });
    await writeFile(jsonc, "{}");
    expect(await home.plan()).toMatchObject({ file: jsonc });
    await home.write('{ "mcp": { "plugboard": { "type": "local", "command": ["plugboard", "stdio"] } } }');
    expect(await home.plan()).toMatchObject({ file: home.file, action: "change" });
  });

  it("is removed by disconnecting, and a folder that existed before stays", async () => {
    const home = await setUpHome("cursor");
    await mkdir(join(home.project, ".cursor"));
    await home.connect(STDIO, "project");
    await home.disconnect();
    expect(await readdir(home.project)).toEqual([".cursor"]);
  });

  it("is rejected if it is a symbolic link to a file outside the project", async () => {
    const home = await setUpHome("cursor");
    await home.write("{}");
    await mkdir(join(home.project, ".cursor"));
    await symlink(home.file, join(home.project, ".cursor/mcp.json"));
    await expect(home.connect(STDIO, "project")).rejects.toThrow(/outside of the project's folder/);
    expect(await home.read()).toBe("{}");
  });

  it("has the entry among the servers of the newer format of opencode", async () => {
    const home = await setUpHome("opencode");
    await home.write('{ "mcp": { "servers": { "a": { "type": "remote", "url": "https://a.example.com" } } } }\n');
    await home.connect();
    expect(JSON.parse(await home.read())).toMatchObject({ mcp: { servers: { a: {}, plugboard: { type: "local" } } } });
  });

  it("has an entry that Plugboard does not read as a server of its own", async () => {
    const home = await setUpHome("claude-code");
    await home.connect({ ...STDIO, command: "plugboard", args: ["stdio"] } as typeof STDIO, "project");
    const { mcpServers } = JSON.parse(await readFile(join(home.project, ".mcp.json"), "utf8")) as {
      mcpServers: object;
    };
    const other = { command: "ssh", args: ["box", "plugboard", "stdio"] };
    const text = JSON.stringify({ mcpServers: { ...mcpServers, other } });
    const read = (file: string) => readLayerFromText(file, text, { source: "project", folder: home.project });
    expect((await read("/p/.mcp.json")).servers.map(({ id }) => id)).toEqual(["other"]);
    expect((await read("/p/.plugboard/config.json")).servers.map(({ id }) => id)).toEqual(["plugboard", "other"]);
  });
});

describe("the command that connect writes", () => {
  const places = async () => {
    const home = await setUpHome("codex");
    const [bin, script] = [join(home.root, "bin"), join(home.root, "lib/plugboard.js")];
    for (const folder of [bin, dirname(script)]) await mkdir(folder, { recursive: true });
    await writeFile(script, "");
    await chmod(script, 0o755);
    await symlink(script, join(bin, "plugboard"));
    const running = { node: "/usr/bin/node", script };
    return { ...home.places, env: { PATH: bin }, running };
  };

  it("is `plugboard` if the client runs in a terminal and the name leads to this program", async () => {
    const { running, ...found } = await places();
    const { target, notes } = await chooseCommand("codex", "user", "work", running, found);
    expect(target).toMatchObject({ command: "plugboard", args: ["stdio", "--profile", "work"] });
    expect(notes).toEqual([]);
  });

  it("has absolute paths for a client with a window, on Windows, and if `plugboard` is another program or not found", async () => {
    const { running, ...found } = await places();
    const absolute = { command: running.node, args: [running.script, "stdio"] };
    const target = async (...args: Parameters<typeof chooseCommand>) => (await chooseCommand(...args)).target;
    for (const client of ["claude-desktop", "cursor", "vscode", "windsurf", "zed", "goose"] as const)
      expect(await target(client, "user", undefined, running, found)).toMatchObject(absolute);
    const elsewhere = { ...running, script: "/elsewhere/plugboard.js" };
    expect(await target("codex", "user", undefined, elsewhere, found)).toMatchObject({
      args: [elsewhere.script, "stdio"],
    });
    expect(await target("codex", "user", undefined, running, { ...found, env: {} })).toMatchObject(absolute);
    const windows = { ...found, platform: "win32" as const };
    expect(await target("codex", "user", undefined, running, windows)).toMatchObject(absolute);
  });

  it("has no absolute paths in a project's file, and a note if the program is in the cache of npx", async () => {
    const { running, ...found } = await places();
    const inProject = await chooseCommand("cursor", "project", undefined, running, {
      ...found,
      env: { XDG_STATE_HOME: "/s" },
    });
    expect(inProject).toMatchObject({ target: { command: "plugboard", args: ["stdio"], env: {} } });
    expect(inProject.notes.join()).toContain("npm install --global plugboard");
    const cached = { ...running, script: "/home/ada/.npm/_npx/1/node_modules/plugboard/bin/plugboard.js" };
    expect((await chooseCommand("cursor", "user", undefined, cached, found)).notes.join()).toContain("cache of npx");
  });

  it("sets the variables that decide which host is used, because clients don't pass them on", async () => {
    const { running, ...found } = await places();
    const env = { XDG_STATE_HOME: "/s", PLUGBOARD_CONFIG_PATH: "/c.json", API_KEY: "secret" };
    const { target } = await chooseCommand("codex", "user", undefined, running, { ...found, env });
    expect(target.env).toEqual({ XDG_STATE_HOME: "/s", PLUGBOARD_CONFIG_PATH: "/c.json" });
  });

  it("keeps ${ in a path for a client that expands variables", async () => {
    const home = await setUpHome("claude-desktop");
    await home.connect({ ...STDIO, args: ["/opt/${HOME}/plugboard.js", "stdio"] } as typeof STDIO);
    expect(await home.read()).toContain("/opt/${HOME}/plugboard.js");
  });
});

it.each(CLIENT_NAMES)("docs/gateway.md shows the entry that connect writes for %s", async (client) => {
  const page = await readFile(new URL("../../../../docs/gateway.md", import.meta.url), "utf8");
  const { label, syntax, serversPath } = CLIENTS[client];
  // JSON is in the row of the client. Other formats need several lines, so they follow the table.
  const place =
    syntax === "json" ? `^\\| ${label} \\|.*\`(.*?)\` \\|$` : `^#### ${label}\\n\\n\`\`\`${syntax}\\n([^]*?)\`\`\``;
  const snippet = new RegExp(place, "m").exec(page)![1]!;
  const script = "/usr/lib/node_modules/plugboard/bin/plugboard.js";
  const program = CLIENT_TRAITS[client].inTerminal
    ? { command: "plugboard", args: ["stdio"] }
    : { command: "/usr/bin/node", args: [script, "stdio"] };
  const path = [...serversPath, "plugboard"];
  const written = gatewayDocument(CLIENTS[client], { kind: "stdio", env: {}, ...program })!;
  expect(valueAt(await parseDocument("gateway.md", snippet, syntax), path)).toEqual(valueAt(written, path));
});

describe("connecting a client whose file already has an entry for Plugboard", () => {
  it("keeps the settings that the user has added to the entry, and enables it", async () => {
    const home = await setUpHome("codex");
    await home.connect();
    const edited = (await home.read())
      .replace("[mcp_servers.plugboard]\n", "[mcp_servers.plugboard] # mine\nenabled = false\n")
      .replace("required = true\nstartup_timeout_sec = 30\n", "startup_timeout_sec = 90 # slow\nrequired = false\n");
    await home.write(`${edited}\n[mcp_servers.plugboard.env]\nA = "1"\n`);
    await home.connect({ ...withProfile("work"), env: { XDG_STATE_HOME: "/s" } } as typeof STDIO);
    expect(await home.read()).toBe(
      '[mcp_servers.plugboard] # mine\ncommand = "/usr/bin/node"\n' +
        'args = ["/opt/plugboard/bin/plugboard.js", "stdio", "--profile", "work"]\n' +
        "startup_timeout_sec = 90 # slow\nrequired = false\n\n" +
        '[mcp_servers.plugboard.env]\nA = "1"\nXDG_STATE_HOME = "/s"\n',
    );
    await home.connect(HTTP);
    expect(await home.read()).not.toMatch(/startup_timeout_sec|required/);
  });

  it("gives notes about entries under other names, and about lists of Gemini CLI that exclude Plugboard", async () => {
    const home = await setUpHome("gemini");
    const servers = { pb: { command: "npx", args: ["-y", "plugboard@latest", "stdio"] } };
    await home.write(JSON.stringify({ mcp: { allowed: ["a"], excluded: ["plugboard"] }, mcpServers: servers }));
    const { notes, servers: others } = await home.plan();
    expect(notes).toEqual([
      expect.stringContaining('"pb" in this file is Plugboard, too'),
      expect.stringContaining("mcp.allowed"),
      expect.stringContaining("mcp.excluded"),
      expect.stringContaining("Gemini CLI"),
    ]);
    expect(others).toEqual([]);
  });
});

describe("connecting and disconnecting a client", () => {
  it("gives back the same bytes for any layout of the file", async () => {
    const eol = fc.constantFrom("\n", "\r\n");
    const ending = fc.constantFrom("", "\n", "\n\n", "\n# end", "\n# end\n");
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...CLIENT_NAMES), eol, ending, fc.boolean(), async (client, end, tail, bom) => {
        const home = await setUpHome(client);
        const comment = DOCUMENTED[client].fixture.endsWith("json") ? tail.replace(/#.*/, "") : tail;
        const body =
          (await fixtureText(client)).trimEnd() +
          comment.replace("#", client === "codex" || client === "goose" ? "#" : "//");
        const text = (bom ? "\ufeff" : "") + body.replaceAll("\n", end);
        await home.write(text);
        await home.connect(withProfile("work"));
        if (client !== "claude-desktop") await home.connect(HTTP);
        await home.connect();
        await home.disconnect();
        expect(await home.read()).toBe(text);
      }),
      { numRuns: 15 },
    );
  }, 60_000);

  it("restores the backup with `restore` only if the file has not changed since it was connected", async () => {
    const home = await setUpHome("codex");
    const text = await fixtureText("codex");
    await home.write(text);
    await expect(home.disconnect({ restore: true })).rejects.toMatchObject({ code: "USAGE" });
    const plan = await home.connect();
    await home.write(`${plan.after}\n# later\n`);
    await expect(home.disconnect({ restore: true })).rejects.toThrow(/has changed since Codex was connected/);
    await home.write(plan.after!);
    expect(await home.disconnect({ restore: true })).toMatchObject({ action: "restore" });
    expect(await home.read()).toBe(text);
    expect(await readdir(join(home.root, "state/connect"))).toEqual(["connections.json"]);
  });

  it("removes only the entry if the backup is lost or already contains an entry", async () => {
    const home = await setUpHome("codex");
    await home.write("a = 1\n");
    await home.connect();
    await home.write(`b = 2\n${await home.read()}`);
    await home.connect(withProfile("work"));
    await home.disconnect();
    expect(await home.read()).toBe("b = 2\na = 1\n");
    await home.connect();
    for (const name of await readdir(join(home.root, "state/connect")))
      if (name.endsWith(".toml")) await rm(join(home.root, "state/connect", name));
    await home.disconnect();
    expect(await home.read()).toBe("b = 2\na = 1\n");
  });

  it("removes the parent keys that connect added, and keeps the user's own keys", async () => {
    const home = await setUpHome("zed");
    await home.write('{\n  "a": 1\n}\n');
    await home.connect();
    await home.write((await home.read()).replace('"a": 1', '"a": 2'));
    await home.disconnect();
    expect(await home.read()).toBe('{\n  "a": 2\n}\n');
    await home.write('{\n  "context_servers": {}\n}\n');
    await home.connect();
    await home.write(`${await home.read()}\n`);
    await home.disconnect();
    expect(JSON.parse(await home.read())).toEqual({ context_servers: {} });
  });

  it("stores the backup in a file that only its owner can read", async () => {
    const home = await setUpHome("cursor");
    await home.write(await fixtureText("cursor"));
    const backup = await writeChange(await home.plan(), home.records);
    expect((await stat(backup!)).mode & 0o777).toBe(0o600);
    expect((await stat(dirname(backup!))).mode & 0o777).toBe(0o700);
  });

  it("is refused if another program has changed the file since it was shown", async () => {
    const home = await setUpHome("cursor");
    await home.write("{}");
    const plan = await home.plan();
    await home.write('{ "a": 1 }');
    await expect(writeChange(plan, home.records)).rejects.toMatchObject({ code: "CONFIG_INVALID" });
    expect(await home.read()).toBe('{ "a": 1 }');
  });
});

describe("listClients", () => {
  it("finds programs and files, and says which clients are connected", async () => {
    const home = await setUpHome("codex");
    await home.connect(withProfile("work"));
    const bin = join(home.root, "bin");
    await mkdir(bin);
    await writeFile(join(bin, "gemini"), "", { mode: 0o755 });
    await writeFile(join(bin, "goose"), "", { mode: 0o644 });
    await writeFile(join(home.project, "opencode.json"), "{ broken");
    const listed = await listClients({ ...home.places, env: { PATH: bin } });
    expect(listed.map(({ client }) => client)).toEqual(CLIENT_NAMES);
    expect(listed.filter(({ installed }) => installed)).toMatchObject([
      {
        client: "codex",
        files: [
          { file: home.file, scope: "user", connections: [{ name: "plugboard", kind: "stdio", profile: "work" }] },
        ],
      },
      { client: "gemini", program: join(bin, "gemini"), files: [] },
      { client: "opencode", files: [{ scope: "project", error: expect.stringContaining("opencode.json") as string }] },
    ]);
  });
});

describe("maskLine", () => {
  const shown = new Set(["plugboard", "stdio", "/usr/bin/node"]);
  it.each([
    ["json", '    "command": "/usr/bin/node",', '    "command": "/usr/bin/node",'],
    [
      "json",
      '  "env": { "A": "x", "B": 1, "C": true }, // until May',
      '  "env": { "A": "***", "B": 1, "C": true }, // until May',
    ],
    ["json", '"$schema": "https://opencode.ai/config.json",', '"$schema": "https://opencode.ai/config.json",'],
    ["json", '"$schema": "sk-0123456789abcdef"', '"$schema": "***"'],
    ["json", '"a": "$schema", "b": "c"', '"a": "***", "b": "***"'],
    ["json", "  // the token is abc", "  // ***"],
    ["json", '  "a": "b" // sk-0123456789abcdef', '  "a": "***" // ***'],
    ["toml", 'args = ["stdio", "secret"]', 'args = ["stdio", "***"]'],
    ["toml", '  ["secret"]', '  ["***"]'],
    ["toml", '[projects."/home/ada"]', '[projects."/home/ada"]'],
    ["toml", 'headers = { "X-Key" = "s", b = \'t\' }', 'headers = { "X-Key" = "***", b = \'***\' }'],
    ["toml", "the middle of a long text", "***"],
    ["toml", 'a = """secret', "***"],
    ["toml", "date = 1979-05-27T07:32:00Z", "date = 1979-05-27T07:32:00Z"],
    ["yaml", "    cmd: /usr/bin/node", "    cmd: /usr/bin/node"],
    ["yaml", "    envs: { A: secret }", "    envs: ***"],
    ["yaml", "      - stdio", "      - stdio"],
    ["yaml", '  key: "secret"', "  key: ***"],
    ["yaml", "  enabled: true", "  enabled: true"],
    ["yaml", "  continued text", "  ***"],
  ] as const)("of %s shows %s as %s", (syntax, line, expected) => {
    expect(maskLine(line, syntax, shown)).toBe(expected);
  });
});
