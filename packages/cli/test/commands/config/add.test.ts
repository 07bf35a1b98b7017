/** Tests `plugboard add`: what it writes for each option, and what it rejects. */
import { readFile, writeFile } from "node:fs/promises";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { describe, expect, it } from "vitest";
import { parseOutput } from "../../helpers/json-schema.ts";
import { setUpProject } from "../../helpers/project.ts";
import { runPiped, runPipedProcess } from "../../helpers/run-plugboard.ts";

const URL = "https://api.example.com/mcp";

/** The words after the id, the entry in the file, and the requirements that this shows. */
const CASES: [title: string, words: string[], entry: object, covers: string[]][] = [
  ["a command", ["npx", "-y", "pkg", "."], { command: "npx", args: ["-y", "pkg", "."] }, []],
  ["a command after --", ["-e", "A=b", "--", "npx", "--env"], { command: "npx", args: ["--env"], env: { A: "b" } }, []],
  ["a command in one word", ["npx -y 'my pkg'"], { command: "npx", args: ["-y", "my pkg"] }, []],
  ["a command with a dot", ["server.js"], { command: "server.js" }, []],
  ["a relative command", ["./a.b/run", "x:1/y"], { command: "./a.b/run", args: ["x:1/y"] }, []],
  ["a command in a folder", ["bin/run.sh"], { command: "bin/run.sh" }, []],
  ["a Windows path", ["C:\\tools\\run.exe"], { command: "C:\\tools\\run.exe" }, []],
  ["a URL", [URL], { url: URL }, []],
  ["a WebSocket URL", ["wss://example.com/mcp"], { url: "wss://example.com/mcp" }, []],
  [
    "--transport http --url",
    ["--transport", "http", "--url", URL],
    { transport: "http", url: URL },
    ["R2.62", "R2.173"],
  ],
  ["--transport streamable-http", ["--transport", "streamable-http", URL], { transport: "http", url: URL }, []],
  [
    "--transport stdio --command",
    ["--transport", "stdio", "--command", "npx"],
    { transport: "stdio", command: "npx" },
    ["R2.63", "R2.174"],
  ],
  ["--arg", ["--command", "npx", "--arg", "-y", "--arg=pkg"], { command: "npx", args: ["-y", "pkg"] }, ["R2.82"]],
  ["--cwd", ["--cwd", "sub", "npx"], { command: "npx", cwd: "sub" }, ["R2.83"]],
  ["--env", ["-e", "A=1", "--env", "B=2=3", "npx"], { command: "npx", env: { A: "1", B: "2=3" } }, ["R2.84"]],
  ["--header", [URL, "-H", "A: b:c", "--header", "D=e"], { url: URL, headers: { A: "b:c", D: "e" } }, ["R2.75"]],
  ["--enabled false", ["--enabled", "false", "npx"], { command: "npx", enabled: false }, ["R2.72"]],
  ["--enabled true", ["--enabled", "true", "npx"], { command: "npx" }, ["R2.72"]],
  ["--roots true", ["--roots", "true", "npx"], { command: "npx", roots: true }, []],
  ["--roots false", ["--roots", "false", "npx"], { command: "npx", roots: false }, []],
  ["--request-timeout-ms", [URL, "--request-timeout-ms", "500"], { url: URL, request_timeout_ms: 500 }, ["R2.73"]],
  [
    "--bearer-token-env-var",
    [URL, "--bearer-token-env-var", "TOKEN", "-H", "A: b"],
    { url: URL, headers: { A: "b", Authorization: "Bearer ${TOKEN}" } },
    [],
  ],
  ["-t", ["-t", "sse", URL], { transport: "sse", url: URL }, []],
  ["--api-key-env", [URL, "--api-key-env", "KEY"], { url: URL, auth: { type: "api_key", api_key: "${KEY}" } }, []],
];

const OAUTH_CASES: [option: string, key: string, value: string, requirement: string][] = [
  ["--oauth-authorization-url", "authorization_url", "https://as.example.com/authorize", "R2.76"],
  ["--oauth-token-url", "token_url", "https://as.example.com/token", "R2.77"],
  ["--oauth-registration-url", "registration_url", "https://as.example.com/register", "R2.78"],
  ["--oauth-client-id", "client_id", "plugboard", "R2.79"],
  ["--oauth-scope", "scope", "read write", "R2.81"],
];

describe("plugboard add writes the entry", () => {
  for (const [title, words, entry, covers] of CASES) {
    it(`for ${title}`, { meta: { covers } }, async () => {
      const project = await setUpProject();
      const { status, stderr } = await runPiped(project, "add", "s", ...words);
      // Some commands and folders of the cases do not exist.
      expect([status, stderr]).toEqual([0, expect.stringMatching(/^(?:warning: .*(?:not found|not exist).*\n)?$/)]);
      expect(await project.servers("project")).toEqual({ s: entry });
    });
  }

  for (const [option, key, value, requirement] of OAUTH_CASES) {
    it(`for ${option}`, { meta: { covers: [requirement] } }, async () => {
      const project = await setUpProject();
      expect(await runPiped(project, "add", "s", URL, option, value)).toMatchObject({ status: 0, stderr: "" });
      expect(await project.servers("project")).toEqual({ s: { url: URL, auth: { type: "oauth", [key]: value } } });
    });
  }

  it("for --oauth-client-secret, without printing it", { meta: { covers: ["R2.80"] } }, async () => {
    const project = await setUpProject();
    const words = ["add", "s", URL, "--oauth-client-id", "me", "--oauth-client-secret", "hunter2"];
    const { stdout } = await runPiped(project, ...words, "--json");
    expect(stdout).not.toContain("hunter2");
    const auth = { type: "oauth", client_id: "me", client_secret: "hunter2" };
    expect(await project.servers("project")).toEqual({ s: { url: URL, auth } });
  });
});

describe("plugboard add rejects", () => {
  it.each<[string, string[], string]>([
    ["a missing command", ["s"], "the command or URL is missing"],
    ["a URL without an id", ["https://me:secret-value@mcp.notion.com"], "write: plugboard add notion <URL>"],
    ["an unknown option", ["s", "--api-key=secret-value", "npx"], "unknown option '--api-key'"],
    ["a URL and a command", ["s", "--url", URL, "--command", "npx"], "--url or --command, not both"],
    ["a URL as argument and option", ["s", "--url", URL, URL], "give the URL once"],
    ["a header of a command", ["s", "-H", "A: b", "npx"], "--header is for a server at a URL"],
    ["an API key of a command", ["s", "--api-key-env", "K", "npx"], "--api-key-env is for a server at a URL"],
    ["a token of a command", ["s", "--bearer-token-env-var", "T", "npx"], "--bearer-token-env-var is for a server at"],
    [
      "a token itself",
      ["s", URL, "--bearer-token-env-var", "secret-value"],
      "must be the name of an environment variable",
    ],
    ["two tokens", ["s", URL, "-H", "authorization: x", "--bearer-token-env-var", "T"], "both give the header"],
    ["a variable of a URL", ["s", URL, "-e", "A=b"], "--env is for a command"],
    ["an argument of a URL", ["s", URL, "extra"], "unexpected argument 'extra' after the URL"],
    ["a URL over stdio", ["s", "--transport", "stdio", URL], "stdio runs a command"],
    ["a command over HTTP", ["s", "--transport", "http", "npx"], "http needs a URL that begins with https://"],
    ["an API key and a login", ["s", URL, "--api-key-env", "K", "--oauth-scope", "x"], "not both"],
    ["a pair without a name", ["s", "-e", "=secret-value", "npx"], "--env must be of the form NAME=value"],
    ["a variable given twice", ["s", "-e", "A=1", "-e", "A=2", "npx"], '--env gives "A" twice'],
    ["a header without a separator", ["s", URL, "-H", "secret-value"], "--header must be of the form"],
    ["an unknown scope", ["s", "--scope", "globl", "npx"], "--scope must be project or user or local"],
    ["an unknown transport", ["s", "--transport", "pigeon", "npx"], "--transport must be"],
    ["an invalid id", ["a b", "npx"], "a server id must be 1 to 64 of"],
    ["the id __proto__", ["__proto__", "npx"], '"__proto__" can\'t be a server id'],
    ["a reserved id", ["native", "npx"], "reserved"],
    ["a URL with an unknown scheme", ["s", "ftp://example.com"], "must be an http(s) URL"],
    ["a URL without http", ["s", "localhost:3000/mcp"], "a URL begins with https:// or http://"],
    ["a host and a path", ["s", "mcp.example.com/mcp"], "write: https://mcp.example.com/mcp"],
    ["a host and a query", ["s", "mcp.example.com/x?key=secret-value"], "write: https://mcp.example.com/x?…"],
    ["a local host", ["s", "localhost:3000/mcp"], "write: http://localhost:3000/mcp"],
    ["an empty command", ["s", ""], "the command or URL is empty"],
    ["a login URL over http", ["s", URL, "--oauth-token-url", "http://evil.example"], "token_url"],
  ])("%s, and changes nothing", async (_, words, message) => {
    const project = await setUpProject();
    const { status, stdout, stderr } = await runPiped(project, "add", ...words);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain(message);
    expect(stderr).not.toContain("secret-value");
    await expect(project.read("project")).rejects.toThrow("ENOENT");
  });

  it(
    "an id that the scope has already, unless --replace is given",
    { meta: { covers: ["R2.74", "R2.87"] } },
    async () => {
      const project = await setUpProject({ shared: { mcpServers: { s: { command: "old" } } } });
      const refused = await runPiped(project, "add", "s", "new");
      expect(refused.status).toBe(2);
      expect(refused.stderr).toContain(
        `SERVER_EXISTS: "s" is already defined in ${project.files.shared}. Add \`--replace\``,
      );
      expect(await project.servers("shared")).toEqual({ s: { command: "old" } });
      const { stdout } = await runPiped(project, "add", "s", "--replace", "new");
      expect(stdout).toContain(`Replaced s in ${project.files.shared} (project)`);
      expect(await project.servers("shared")).toEqual({ s: { command: "new" } });
    },
  );

  it("a folder that can't be created", async () => {
    const project = await setUpProject();
    await writeFile(`${project.cwd}/.plugboard`, "a file");
    const { status, stderr } = await runPiped(project, "add", "s", "npx");
    expect(status).toBe(3);
    expect(stderr).toContain("STORE_UNWRITABLE");
  });

  it("a file that is invalid, and shows all its problems", { meta: { covers: ["R3.28"] } }, async () => {
    const project = await setUpProject();
    await project.write("project", '{ "permissions": { "alow": [],\n  "deny": ["x"] } }');
    const { status, stderr } = await runPiped(project, "add", "s", "npx");
    expect(status).toBe(2);
    expect(stderr).toContain('config.json:1:20: "alow" is not one of allow, ask, deny; did you mean "allow"?');
    expect(stderr).toContain('config.json:2:12: "x" is not a rule');
  });

  it("a project in the home folder, whose project files are not read", async () => {
    const project = await setUpProject();
    const { status, stderr } = await runPiped({ ...project, cwd: project.home }, "add", "s", "npx");
    expect(status).toBe(2);
    expect(stderr).toContain("use --scope user");
  });
});

describe("plugboard add --scope", () => {
  const covers = ["R2.71", "R2.85"];
  it("writes the project's file by default", { meta: { covers } }, async () => {
    const project = await setUpProject();
    await runPiped(project, "add", "s", "npx");
    expect(Object.keys(await project.servers("project"))).toEqual(["s"]);
  });

  for (const [word, scope] of [
    ["user", "user"],
    ["global", "user"],
    ["local", "local"],
  ] as const) {
    it(`writes the ${scope} file with --scope ${word}`, { meta: { covers } }, async () => {
      const project = await setUpProject();
      expect((await runPiped(project, "add", "s", "--scope", word, "npx")).stdout).toContain(project.files[scope]);
      expect(Object.keys(await project.servers(scope))).toEqual(["s"]);
      await expect(project.read("project")).rejects.toThrow("ENOENT");
    });
  }

  it("writes the user file with -s user", async () => {
    const project = await setUpProject();
    expect((await runPiped(project, "add", "s", "-s", "user", "npx")).stdout).toContain(project.files.user);
    expect(Object.keys(await project.servers("user"))).toEqual(["s"]);
  });

  it("writes a user file that does not exist yet", async () => {
    const project = await setUpProject();
    const setup = { ...project, env: { ...project.env, PLUGBOARD_CONFIG_PATH: `${project.home}/new/config.json` } };
    expect(await runPiped(setup, "add", "s", "--scope", "user", "npx")).toMatchObject({ status: 0 });
    expect(await readFile(`${project.home}/new/config.json`, "utf8")).toContain('"npx"');
  });

  it("writes to the project's folder from a folder below it, and warns about relative paths", async () => {
    const project = await setUpProject({ shared: { mcpServers: {} }, local: {} });
    const { stderr } = await runPiped(
      { ...project, cwd: `${project.cwd}/.plugboard` },
      "add",
      "s",
      "node",
      "./server.js",
    );
    expect(stderr).toBe(
      `warning: ./server.js starts at ${project.cwd}, where the server runs. Give an absolute path or --cwd.\n`,
    );
    expect(Object.keys(await project.servers("project"))).toEqual(["s"]);
  });

  it("says which entry of a lower priority it overrides", async () => {
    const project = await setUpProject({ user: { mcpServers: { s: { command: "mine" } } } });
    const { stdout } = await runPiped(project, "add", "s", "npx");
    expect(stdout).toContain(`It overrides the entry in ${project.files.user}.\n`);
    const json = await runPiped(project, "add", "s", "--replace", "--json", "uvx");
    expect(await parseOutput("add", json.stdout)).toMatchObject({ overrides: [project.files.user], hiddenBy: [] });
  });

  it("warns if a file with a higher priority has an entry for the server", async () => {
    const project = await setUpProject({ local: { mcpServers: { s: { command: "other" } } } });
    const { stderr } = await runPiped(project, "add", "s", "npx");
    expect(stderr).toContain(`"s" is also defined in ${project.files.local}, which has priority`);
  });
});

describe("plugboard add as a process", () => {
  it("adds a server that can be called at once, because the user has approved it by adding it", async () => {
    const project = await setUpProject();
    const { command, args } = scriptedLegacy();
    const added = await runPipedProcess(project, "add", "s", "-e", "TOKEN=${HOME}", command, ...args);
    expect(added).toMatchObject({ status: 0, stderr: "" });
    await expect(
      added.stdout.replaceAll(project.cwd, "<project>").replace(/runs: .*/, "runs: <command>"),
    ).toMatchFileSnapshot("../../golden/add.txt");
    expect(await runPipedProcess(project, "call", "s:echo", "text=hi")).toMatchObject({ status: 0, stderr: "" });
  });

  it("shows the whole command and masks only values, also with --json", async () => {
    const project = await setUpProject();
    const words = ["add", "s", "--json", "-e", "KEY=hunter2", "npx", "-y", "pkg", "--token", "hunter3", "./data"];
    const { stdout, stderr } = await runPipedProcess(project, ...words);
    expect(await parseOutput("add", stdout)).toMatchObject({
      action: "added",
      target: "npx -y pkg --token *** ./data",
      trusted: true,
      config: { env: { KEY: "***" } },
    });
    expect(stdout + stderr).not.toMatch(/hunter\d/);
  });

  it("asks other users to approve the definition, and this user only after a change", async () => {
    const project = await setUpProject();
    await runPiped(project, "add", "s", "npx", "-y", "pkg");
    const other = { ...project, env: { ...project.env, XDG_STATE_HOME: `${project.home}/other` } };
    expect(JSON.parse((await runPiped(project, "list", "--json")).stdout)).toMatchObject([{ id: "s", enabled: true }]);
    expect((await runPiped(other, "list")).stdout).toContain("untrusted");
    await project.write("project", { mcpServers: { s: { command: "evil" } } });
    expect((await runPiped(project, "list")).stdout).toContain("untrusted");
  });

  it("warns about a secret in plain text in a project's file, without printing it", async () => {
    const project = await setUpProject();
    const words = ["add", "s", "-e", "API_TOKEN=hunter2hunter2", "npx"];
    const { stdout, stderr } = await runPiped(project, ...words);
    expect(stderr).toContain("API_TOKEN is a secret in plain text");
    expect(stdout + stderr).not.toContain("hunter2");
    expect((await runPiped(project, "add", "t", "--scope", "user", ...words.slice(2))).stderr).toBe("");
  });

  it("adds a server whose command is not on PATH, and says what to do", async () => {
    const project = await setUpProject();
    const { status, stdout, stderr } = await runPipedProcess(project, "add", "s", "no-such-program");
    expect(status).toBe(0);
    expect(stderr).toContain(
      '"s": the command "no-such-program" was not found in PATH; install it, or give its full path',
    );
    expect(stdout).toContain("Added s to");
    expect(await project.servers("project")).toEqual({ s: { command: "no-such-program" } });
    const json = await runPiped(project, "add", "t", "--json", "no-such-program");
    expect(await parseOutput("add", json.stdout)).toMatchObject({
      warnings: [expect.stringContaining("was not found in PATH")],
    });
  });

  it("shows a command without letting it act on the terminal", { meta: { covers: ["A7"] } }, async () => {
    const project = await setUpProject();
    const words = ["echo", "\u001b[2Jgone\u202e", "a\nb"];
    const outputs = [
      await runPiped(project, "add", "s", ...words),
      await runPiped(project, "get", "s"),
      await runPiped(project, "list", "--scope", "project"),
      await runPiped(project, "add", "s", "--replace", ...words, "--scope", "\u001b[2J"),
    ];
    for (const { stdout, stderr } of outputs) expect(stdout + stderr).not.toMatch(/[\u001b\u202e]/);
  });

  it("warns if an option of its own became an argument of the command", async () => {
    const project = await setUpProject();
    const { stderr } = await runPipedProcess(project, "add", "s", "npx", "-y", "pkg", "--scope", "user");
    expect(stderr).toContain("--scope user was taken as an argument of npx");
    expect(stderr).toContain("plugboard add s --scope user npx …");
    const secret = await runPipedProcess(project, "add", "t", "npx", "--env", "KEY=hunter2");
    expect(secret.stderr).toContain("--env …");
    expect(secret.stderr).not.toContain("hunter2");
    const json = await runPipedProcess(project, "add", "v", "npx", "--json");
    expect(json.stderr).toContain("--json was taken as an argument of npx");
    const separated = await runPipedProcess(project, "add", "u", "--", "npx", "--scope", "user");
    expect(separated.stderr).toBe("");
  });

  it("keeps comments, and all servers of simultaneous additions", async () => {
    const project = await setUpProject();
    await project.write("project", '{\n  // mine\n  "mcp": { "servers": {} } // end\n}\n');
    const ids = ["a", "b", "c", "d"];
    const added = await Promise.all(ids.map((id) => runPipedProcess(project, "add", id, "npx", id)));
    expect(added.map(({ status }) => status)).toEqual([0, 0, 0, 0]);
    const text = await project.read("project");
    expect(text).toMatch(/\/\/ mine[^]*\/\/ end/);
    for (const id of ids) expect(text).toContain(`"${id}": {`);
  });

  it("adds only one of two servers with the same id", async () => {
    const project = await setUpProject();
    const results = await Promise.all(["one", "two"].map((word) => runPipedProcess(project, "add", "s", word)));
    expect(results.filter(({ status }) => status === 0)).toHaveLength(1);
    expect(results.find(({ status }) => status !== 0)?.stderr).toContain("SERVER_EXISTS");
  });

  it("writes thousands of arguments", async () => {
    const project = await setUpProject();
    const args = Array.from({ length: 5000 }, (_, index) => `argument-${index}`);
    expect(await runPipedProcess(project, "add", "s", "npx", ...args)).toMatchObject({ status: 0 });
    expect(await project.servers("project")).toEqual({ s: { command: "npx", args } });
  });
});
