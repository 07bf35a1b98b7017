/** Tests `plugboard login`, `logout` and `auth`, and logins during a call. */
import { once } from "node:events";
import { readFile, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { ServerStatus, LoginList } from "@plugboard/contracts";
import { completeLogin } from "@plugboard/testkit/complete-login";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { startKeyring } from "../../../../host/test/helpers/auth/keyring-session.ts";
import { parseOutput } from "../../helpers/json-schema.ts";
import { runInTerminal, runPiped, runPipedProcess, setUp, startCommand } from "../../helpers/run-plugboard.ts";
import type { Setup } from "../../helpers/run-plugboard.ts";
import { loginUrlIn, setUpProtected } from "../../helpers/protected-setup.ts";

const PASTE = "if the browser is on another machine, paste the URL it was redirected to: ";
const PASTE_ONLY = "paste the URL that the browser was redirected to: ";
const LOGGED_IN = "Logged in to notes";
const whoami = (setup: Setup) => runPiped(setup, "call", "notes:whoami");
const asAda = { status: 0, stdout: expect.stringContaining('"sub":"ada"') as string, stderr: "" };

async function startHost(setup: Setup) {
  const host = startCommand(setup, "serve", "--port", "0");
  await host.stdout.waitFor("Stop with Ctrl-C", 15_000);
  return host;
}

async function setUpLoggedIn() {
  const setup = await setUpProtected("logs in");
  expect(await runPiped(setup, "login", "notes")).toMatchObject({ status: 0 });
  return setup;
}

describe("plugboard login", () => {
  it(
    "opens the browser, and succeeds when the browser is redirected back",
    { meta: { covers: ["R2.57"] } },
    async () => {
      const setup = await setUpProtected("logs in");
      const terminal = runInTerminal(setup, "login", "notes");
      const shown = await terminal.waitFor(LOGGED_IN);
      expect(await terminal.exited).toMatchObject({ exitCode: 0 });
      expect(shown).toContain(`Log in to notes at ${new URL(setup.as.issuer).host}:`);
      expect(await setup.openedUrls()).toEqual([loginUrlIn(shown)]);
      expect(await whoami(setup)).toEqual(asAda);
    },
  );

  it("with --no-browser accepts a pasted redirect URL, and asks again after an invalid one", async () => {
    const setup = await setUpProtected("does nothing");
    const terminal = runInTerminal(setup, "login", "notes", "--no-browser");
    const loginUrl = loginUrlIn(await terminal.waitFor(PASTE_ONLY));
    terminal.type(`${loginUrl}\r`);
    await terminal.waitFor("Not a valid redirect URL");
    await terminal.waitFor(PASTE_ONLY);
    const { url } = await completeLogin(loginUrl);
    terminal.type(`${url}\r`);
    await terminal.waitFor(LOGGED_IN);
    expect(await terminal.exited).toMatchObject({ exitCode: 0 });
    expect(await setup.openedUrls()).toEqual([]);
    expect(await whoami(setup)).toEqual(asAda);
  });

  it("opens the browser of its own terminal when a host is running", async () => {
    const setup = await setUpProtected("logs in");
    await startHost(setup);
    const terminal = runInTerminal(setup, "login", "notes");
    await terminal.waitFor(LOGGED_IN);
    expect(await terminal.exited).toMatchObject({ exitCode: 0 });
    expect(await setup.openedUrls()).toHaveLength(1);
    expect(await whoami(setup)).toEqual(asAda);
    expect(setup.as.tokenRequests()).toHaveLength(1);
  });

  it("with --no-browser reads the redirect URL from its own terminal when a host is running", async () => {
    const setup = await setUpProtected("does nothing");
    await startHost(setup);
    const terminal = runInTerminal(setup, "login", "notes", "--no-browser");
    const { url } = await completeLogin(loginUrlIn(await terminal.waitFor(PASTE_ONLY)));
    terminal.type(`${url}\r`);
    await terminal.waitFor(LOGGED_IN);
    expect(await terminal.exited).toMatchObject({ exitCode: 0 });
    expect(await whoami(setup)).toEqual(asAda);
  });

  it("opens the browser and prints the URL to stderr without a terminal", async () => {
    const setup = await setUpProtected("logs in");
    const { status, stdout, stderr } = await runPiped(setup, "login", "notes");
    expect({ status, stdout }).toMatchObject({ status: 0, stdout: expect.stringContaining(LOGGED_IN) as string });
    expect(await setup.openedUrls()).toEqual([loginUrlIn(stderr)]);
  });

  it("with --no-browser reads the redirect URL from stdin without a terminal, and with --json prints the status", async () => {
    const setup = await setUpProtected("does nothing");
    const { child, stdout, stderr, exited } = startCommand(setup, "login", "notes", "--no-browser", "--json");
    await stderr.waitFor("as one line on stdin", 15_000);
    const { url } = await completeLogin(loginUrlIn(stderr.text));
    child.stdin.write(`${url}\n`);
    expect(await exited).toBe(0);
    expect(await parseOutput("login", stdout.text)).toMatchObject({
      id: "notes",
      state: "ready",
      login: { issuer: setup.as.issuer },
    });
    expect(stdout.text + stderr.text).not.toContain(new URL(url).searchParams.get("code"));
    expect(await setup.openedUrls()).toEqual([]);
  });

  it("with --device shows a code, and succeeds when the user has entered it", async () => {
    const setup = await setUpProtected("does nothing");
    const terminal = runInTerminal(setup, "login", "notes", "--device");
    const shown = await terminal.waitFor("waiting for you to enter the code");
    const [, code = ""] = /Enter this code there: (\S+)/.exec(shown) ?? [];
    await completeLogin(loginUrlIn(shown), { code });
    await terminal.waitFor(LOGGED_IN, 20_000);
    expect(await terminal.exited).toMatchObject({ exitCode: 0 });
    expect(await setup.openedUrls()).toEqual([]);
  });

  it("stores nothing when the user cancels", async () => {
    const setup = await setUpProtected("does nothing");
    const terminal = runInTerminal(setup, "login", "notes");
    await terminal.waitFor(PASTE);
    terminal.type("\x03");
    expect(await terminal.exited).toMatchObject({ exitCode: 130 });
    expect(terminal.output()).toContain("CANCELLED: You interrupted the command.");
    expect(terminal.output()).not.toContain("withdrawn");
    expect((await runPiped(setup, "auth", "list")).stdout).toContain("No logins.");
    expect(setup.as.tokenRequests()).toEqual([]);
  });

  it("fails for a server whose definition contains credentials", async () => {
    const entry = { auth: { type: "api_key", api_key: "k" } };
    const { status, stderr } = await runPiped(await setUpProtected("does nothing", { entry }), "login", "notes");
    const message = 'USAGE: "notes" needs no login: its definition has an API key in `auth`.\n';
    expect({ status, stderr }).toEqual({ status: 2, stderr: message });
  });

  it("fails with LOGIN_FAILED if the user denies access at the authorization server", async () => {
    const setup = await setUpProtected("does nothing");
    const terminal = runInTerminal(setup, "login", "notes");
    const loginUrl = loginUrlIn(await terminal.waitFor(PASTE));
    await completeLogin(loginUrl, { deny: true, callback: "visit" });
    await terminal.waitFor("LOGIN_FAILED");
    expect(await terminal.exited).toMatchObject({ exitCode: 3 });
  });
});

describe("plugboard call to a server that requires a login", () => {
  it("asks before it opens the browser, then continues the call", { meta: { covers: ["R2.56"] } }, async () => {
    const setup = await setUpProtected("logs in");
    const terminal = runInTerminal(setup, "call", "notes:whoami");
    const shown = await terminal.waitFor(" now, in the browser? y / n: ");
    expect(shown).toContain("notes wants you to log in.");
    expect(await setup.openedUrls()).toEqual([]);
    terminal.type("y\r");
    await terminal.waitFor("Logged in to notes.");
    await terminal.waitFor('"sub":"ada"');
    expect(await terminal.exited).toMatchObject({ exitCode: 0 });
    expect(await setup.openedUrls()).toHaveLength(1);
  });

  it("opens no browser when the user answers no", { meta: { covers: ["R2.56"] } }, async () => {
    const setup = await setUpProtected("logs in");
    const terminal = runInTerminal(setup, "call", "notes:whoami");
    await terminal.waitFor(" now, in the browser? y / n: ");
    terminal.type("n\r");
    await terminal.waitFor("AUTH_REQUIRED");
    expect(await terminal.exited).toMatchObject({ exitCode: 3 });
    expect(await setup.openedUrls()).toEqual([]);
    expect(setup.as.validIds("Client")).toHaveLength(1);
  });

  it("names the login command when there is no terminal", { meta: { covers: ["R2.56"] } }, async () => {
    const setup = await setUpProtected("logs in");
    const { status, stderr } = await whoami(setup);
    expect(status).toBe(3);
    expect(stderr).toMatch(/^AUTH_REQUIRED: .*`plugboard login notes`/m);
    expect(await setup.openedUrls()).toEqual([]);
    const { stdout } = await runPiped(setup, "status", "--connect");
    expect(stdout).toMatch(/^notes .*needs login: plugboard login notes$/m);
  });
});

it("plugboard serve prints the login command once each time a server needs a login", async () => {
  const setup = await setUpLoggedIn();
  const host = await startHost(setup);
  await host.stdout.waitFor("notes: ready", 15_000);
  const printed = () => host.stdout.text.match(/notes: needs a login\. Run `plugboard login notes`$/gm)?.length ?? 0;
  for (const times of [1, 2]) {
    setup.as.revokeGrants();
    expect(await whoami(setup)).toMatchObject({ status: 3 });
    await vi.waitFor(() => expect(printed()).toBe(times), 15_000);
    expect(await whoami(setup)).toMatchObject({ status: 3 });
    expect(await runPiped(setup, "login", "notes")).toMatchObject({ status: 0 });
    expect(await whoami(setup)).toEqual(asAda);
    expect(printed()).toBe(times);
  }
});

it(
  "plugboard call says what to configure, without asking, if the server offers no login",
  { meta: { covers: ["R2.59"] } },
  async () => {
    const server = createServer((_, response) => response.writeHead(401).end());
    onTestFinished(() => void server.close());
    await once(server.listen(0, "127.0.0.1"), "listening");
    const { port } = server.address() as AddressInfo;
    const setup = await setUp({ mcp: { servers: { notes: { url: `http://127.0.0.1:${port}/mcp` } } } });
    const terminal = runInTerminal(setup, "call", "notes:whoami");
    const shown = await terminal.waitFor("LOGIN_NOT_OFFERED");
    expect(await terminal.exited).toMatchObject({ exitCode: 3 });
    expect(shown).not.toContain("now, in the browser?");
    expect(terminal.output()).toContain("set it under `headers` or `auth`");
  },
);

describe("plugboard call with a login", () => {
  it("asks to log in again when the login was revoked", async () => {
    const setup = await setUpLoggedIn();
    setup.as.revokeGrants();
    const terminal = runInTerminal(setup, "call", "notes:whoami");
    await terminal.waitFor("notes wants you to log in again, because your login has expired or was revoked.");
    await terminal.waitFor(" now, in the browser? y / n: ");
    terminal.type("y\r");
    await terminal.waitFor('"sub":"ada"');
    expect(await terminal.exited).toMatchObject({ exitCode: 0 });
    expect(await setup.openedUrls()).toHaveLength(2);
  });

  it(
    "asks to grant more scopes when a tool requires them, then continues",
    { meta: { covers: ["R2.56"] } },
    async () => {
      const setup = await setUpLoggedIn();
      const terminal = runInTerminal(setup, "call", "notes:admin");
      await terminal.waitFor("notes wants you to grant more permissions.");
      await terminal.waitFor(" now, in the browser? y / n: ");
      expect(await setup.openedUrls()).toHaveLength(1);
      terminal.type("y\r");
      await terminal.waitFor("as you wish");
      expect(await terminal.exited).toMatchObject({ exitCode: 0 });
      expect(await setup.openedUrls()).toHaveLength(2);
    },
  );
});

describe("plugboard list, status and auth", () => {
  it("show the user, issuer and expiry of a login, never a token", async () => {
    const setup = await setUpLoggedIn();
    const texts: string[] = [];
    const show = async (...args: string[]) => {
      const { status, stdout, stderr } = await runPiped(setup, ...args);
      expect(status).toBe(0);
      texts.push(stdout, stderr);
      return stdout;
    };
    expect(await show("auth", "list")).toMatch(/^notes +http:\S+\/mcp .*http:\/\/127\.0\.0\.1:\d+ .* in \d+ min/m);
    const stored = (await parseOutput("auth-list", await show("auth", "list", "--json"))) as LoginList;
    expect(stored.logins).toMatchObject([{ server: "notes", resource: setup.server.url, issuer: setup.as.issuer }]);
    expect(await show("status", "--connect")).toMatch(/^notes .*in \d+ min/m);
    const [status] = (await parseOutput("status", await show("status", "--connect", "--json"))) as ServerStatus[];
    expect(status).toMatchObject({ login: { issuer: setup.as.issuer } });
    const [bearer = ""] = setup.server.authorizations;
    const token = bearer.replace(/^Bearer /, "");
    expect(token).not.toBe("");
    for (const text of texts) expect(text).not.toContain(token);
  });

  it("show and change where logins are stored", async () => {
    const setup = await setUpLoggedIn();
    const { stdout } = await runPiped(setup, "auth", "store", "file");
    expect(stdout).toMatch(/^Logins are stored unencrypted in \S+, which only you can read\..*\n$/);
    const [, file = ""] = /unencrypted in (\S+),/.exec(stdout) ?? [];
    expect(file.startsWith(join(setup.cwd, "state"))).toBe(true);
    expect(await readFile(file, "utf8")).toContain(setup.server.url);
    expect(await whoami(setup)).toEqual(asAda);
  });
});

describe("plugboard logout", () => {
  it("revokes and deletes the login", async () => {
    const setup = await setUpLoggedIn();
    const { status, stdout } = await runPiped(setup, "logout", "notes");
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: "Logged out of notes. The login was deleted here; the tokens were revoked.\n",
    });
    expect(setup.as.validIds("RefreshToken")).toEqual([]);
    expect((await whoami(setup)).stderr).toContain("AUTH_REQUIRED");
  });

  it("succeeds if there is no login", async () => {
    const setup = await setUpProtected("does nothing");
    const expected = { status: 0, stdout: "There was no login for notes.\n", stderr: "" };
    expect(await runPiped(setup, "logout", "notes")).toEqual(expected);
    const { stdout } = await runPiped(setup, "logout", "notes", "--json");
    expect(await parseOutput("logout", stdout)).toMatchObject({ forgotten: false });
  });

  it("deletes the login of a server that is no longer configured", async () => {
    const setup = await setUpLoggedIn();
    await writeFile(setup.env["PLUGBOARD_CONFIG_PATH"]!, "{}");
    expect(await runPiped(setup, "logout", "notes")).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^Logged out of notes\. /) as string,
    });
    expect((await runPiped(setup, "auth", "list")).stdout).toMatch(/^No logins\./);
  });

  it("fails for an unknown server without a login", async () => {
    const { status, stderr } = await runPiped(await setUpProtected("does nothing"), "logout", "noets");
    expect({ status, stderr }).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/^SERVER_UNKNOWN: /) as string,
    });
  });
});

describe("the file mcp-auth.json", () => {
  const fileOf = ({ env }: Setup) => join(env["XDG_STATE_HOME"]!, "plugboard", "mcp-auth.json");
  const content = async (setup: Setup) => JSON.parse(await readFile(fileOf(setup), "utf8")) as object;
  const plainLogin = {
    access_token: expect.any(String) as string,
    refresh_token: expect.any(String) as string,
    expires_at: expect.any(Number) as number,
    token_type: "Bearer",
    scope: expect.any(String) as string,
  };

  it(
    "has a version and the tokens of each server if there is no keyring",
    { meta: { covers: ["R2.154", "R2.155", "R3.76"] } },
    async () => {
      const setup = await setUpLoggedIn();
      expect(await content(setup)).toMatchObject({ version: 1, servers: { notes: plainLogin } });
      expect((await stat(fileOf(setup))).mode & 0o777).toBe(0o600);
      expect(await whoami(setup)).toEqual(asAda);
    },
  );

  it(
    "has the same logins, encrypted with a key of the keyring",
    { meta: { covers: ["R2.171", "R3.47"] } },
    async () => {
      const session = await startKeyring("unlocked");
      const protectedSetup = await setUpProtected("logs in");
      const setup = { ...protectedSetup, env: { ...protectedSetup.env, ...session.env } };
      expect(await runPipedProcess(setup, "login", "notes")).toMatchObject({ status: 0 });
      const encrypted = await content(setup);
      expect(encrypted).toEqual({
        version: 1,
        backend: "keyring",
        key_id: expect.any(String) as string,
        sealed: expect.any(String) as string,
      });
      expect(await runPipedProcess(setup, "call", "notes:whoami")).toEqual(asAda);
      expect(await runPipedProcess(setup, "auth", "store", "file")).toMatchObject({ status: 0 });
      const plain = await content(setup);
      expect(plain).toMatchObject({ version: 1, servers: { notes: plainLogin } });
      const { access_token: token } = (plain as { servers: { notes: { access_token: string } } }).servers.notes;
      expect(JSON.stringify(encrypted)).not.toContain(token);
    },
  );
});
