/** Logging in from the command line: by browser, pasted, with a code, in the middle of a call; and what is shown of it. */
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { ServerStatus, LoginList } from "@plugboard/contracts";
import { completeLogin } from "@plugboard/testkit/complete-login";
import { describe, expect, it, onTestFinished } from "vitest";
import { runInTerminal, runPiped, setUp, startCommand } from "../helpers/run-plugboard.ts";
import type { Setup } from "../helpers/run-plugboard.ts";
import { loginUrlIn, setUpProtected } from "../helpers/protected-setup.ts";

const PASTE = "if the browser is on another machine, paste the address it ends at here: ";
const PASTE_ONLY = "paste the address that the browser ends at here: ";
const LOGGED_IN = "Logged in to notes";
const whoami = (setup: Setup) => runPiped(setup, "call", "notes:whoami");
const asAda = { status: 0, stdout: expect.stringContaining('"sub":"ada"') as string, stderr: "" };

async function running(setup: Setup) {
  const host = startCommand(setup, "serve", "--port", "0");
  await host.stdout.waitFor("Stop with Ctrl-C", 15_000);
  return host;
}

async function loggedIn() {
  const setup = await setUpProtected("logs in");
  expect(await runPiped(setup, "login", "notes")).toMatchObject({ status: 0 });
  return setup;
}

describe("login", () => {
  it("opens the browser, and is done when it comes back", { meta: { covers: ["R2.57"] } }, async () => {
    const setup = await setUpProtected("logs in");
    const terminal = runInTerminal(setup, "login", "notes");
    const shown = await terminal.waitFor(LOGGED_IN);
    expect(await terminal.exited).toMatchObject({ exitCode: 0 });
    expect(shown).toContain(`Log in to notes at ${new URL(setup.as.issuer).host}:`);
    expect(await setup.openedUrls()).toEqual([loginUrlIn(shown)]);
    expect(await whoami(setup)).toEqual(asAda);
  });

  it("takes the pasted address of a browser elsewhere, and asks again for a wrong one", async () => {
    const setup = await setUpProtected("stands there");
    const terminal = runInTerminal(setup, "login", "notes", "--no-browser");
    const address = loginUrlIn(await terminal.waitFor(PASTE_ONLY));
    terminal.type(`${address}\r`);
    await terminal.waitFor("That can't be it");
    await terminal.waitFor(PASTE_ONLY);
    const { url } = await completeLogin(address);
    terminal.type(`${url}\r`);
    await terminal.waitFor(LOGGED_IN);
    expect(await terminal.exited).toMatchObject({ exitCode: 0 });
    expect(await setup.openedUrls()).toEqual([]);
    expect(await whoami(setup)).toEqual(asAda);
  });

  it("is done by whoever types it, for the running host", async () => {
    const setup = await setUpProtected("logs in");
    await running(setup);
    const terminal = runInTerminal(setup, "login", "notes");
    await terminal.waitFor(LOGGED_IN);
    expect(await terminal.exited).toMatchObject({ exitCode: 0 });
    expect(await setup.openedUrls()).toHaveLength(1);
    expect(await whoami(setup)).toEqual(asAda);
    expect(setup.as.tokenRequests()).toHaveLength(1);
  });

  it("is pasted into the terminal of whoever types it, beside a running host", async () => {
    const setup = await setUpProtected("stands there");
    await running(setup);
    const terminal = runInTerminal(setup, "login", "notes", "--no-browser");
    const { url } = await completeLogin(loginUrlIn(await terminal.waitFor(PASTE_ONLY)));
    terminal.type(`${url}\r`);
    await terminal.waitFor(LOGGED_IN);
    expect(await terminal.exited).toMatchObject({ exitCode: 0 });
    expect(await whoami(setup)).toEqual(asAda);
  });

  it("works without a terminal: the browser is opened, and its address is on stderr", async () => {
    const setup = await setUpProtected("logs in");
    const { status, stdout, stderr } = await runPiped(setup, "login", "notes");
    expect({ status, stdout }).toMatchObject({ status: 0, stdout: expect.stringContaining(LOGGED_IN) as string });
    expect(await setup.openedUrls()).toEqual([loginUrlIn(stderr)]);
  });

  it("reads the address from stdin where there is no terminal, and prints the status as JSON", async () => {
    const setup = await setUpProtected("stands there");
    const { child, stdout, stderr, exited } = startCommand(setup, "login", "notes", "--no-browser", "--json");
    await stderr.waitFor("on one line of stdin", 15_000);
    const { url } = await completeLogin(loginUrlIn(stderr.text));
    child.stdin.write(`${url}\n`);
    expect(await exited).toBe(0);
    const status = JSON.parse(stdout.text) as ServerStatus;
    expect(status).toMatchObject({ id: "notes", state: "ready", login: { issuer: setup.as.issuer } });
    expect(stdout.text + stderr.text).not.toContain(new URL(url).searchParams.get("code"));
    expect(await setup.openedUrls()).toEqual([]);
  });

  it("works with a code, on whatever machine it is typed", async () => {
    const setup = await setUpProtected("stands there");
    const terminal = runInTerminal(setup, "login", "notes", "--device");
    const shown = await terminal.waitFor("waiting until you have done so");
    const [, code = ""] = /The code to type there: (\S+)/.exec(shown) ?? [];
    await completeLogin(loginUrlIn(shown), { code });
    await terminal.waitFor(LOGGED_IN, 20_000);
    expect(await terminal.exited).toMatchObject({ exitCode: 0 });
    expect(await setup.openedUrls()).toEqual([]);
  });

  it("that is given up leaves nothing behind", async () => {
    const setup = await setUpProtected("stands there");
    const terminal = runInTerminal(setup, "login", "notes");
    await terminal.waitFor(PASTE);
    terminal.type("\x03");
    expect(await terminal.exited).toMatchObject({ exitCode: 130 });
    expect(terminal.screen()).toContain("CANCELLED: You interrupted the command.");
    expect(terminal.screen()).not.toContain("taken back");
    expect((await runPiped(setup, "auth", "list")).stdout).toContain("No logins.");
    expect(setup.as.tokenRequests()).toEqual([]);
  });

  it("where the definition says all is refused with the reason alone", async () => {
    const entry = { auth: { type: "api_key", api_key: "k" } };
    const { status, stderr } = await runPiped(await setUpProtected("stands there", { entry }), "login", "notes");
    const why = 'USAGE: "notes" needs no login: its definition has an API key in `auth`.\n';
    expect({ status, stderr }).toEqual({ status: 2, stderr: why });
  });

  it("that the authorization server refuses says so", async () => {
    const setup = await setUpProtected("stands there");
    const terminal = runInTerminal(setup, "login", "notes");
    const address = loginUrlIn(await terminal.waitFor(PASTE));
    await completeLogin(address, { deny: true, callback: "visit" });
    await terminal.waitFor("LOGIN_FAILED");
    expect(await terminal.exited).toMatchObject({ exitCode: 3 });
  });
});

describe("a call to a server that wants a login", () => {
  it("asks before the browser is opened, and then goes on", { meta: { covers: ["R2.56"] } }, async () => {
    const setup = await setUpProtected("logs in");
    const terminal = runInTerminal(setup, "call", "notes:whoami");
    const shown = await terminal.waitFor(" now, in the browser? y / n: ");
    expect(shown).toContain("notes wants you to log in.");
    expect(await setup.openedUrls()).toEqual([]);
    terminal.type("y\r");
    await terminal.waitFor("Logged in at notes.");
    await terminal.waitFor('"sub":"ada"');
    expect(await terminal.exited).toMatchObject({ exitCode: 0 });
    expect(await setup.openedUrls()).toHaveLength(1);
  });

  it("opens nothing when the user says no", { meta: { covers: ["R2.56"] } }, async () => {
    const setup = await setUpProtected("logs in");
    const terminal = runInTerminal(setup, "call", "notes:whoami");
    await terminal.waitFor(" now, in the browser? y / n: ");
    terminal.type("n\r");
    await terminal.waitFor("AUTH_REQUIRED");
    expect(await terminal.exited).toMatchObject({ exitCode: 3 });
    expect(await setup.openedUrls()).toEqual([]);
    expect(setup.as.validIds("Client")).toHaveLength(1);
  });

  it("names the command that logs in where nobody can be asked", { meta: { covers: ["R2.56"] } }, async () => {
    const setup = await setUpProtected("logs in");
    const { status, stderr } = await whoami(setup);
    expect(status).toBe(3);
    expect(stderr).toMatch(/^AUTH_REQUIRED: .*`plugboard login notes`/m);
    expect(await setup.openedUrls()).toEqual([]);
    const { stdout } = await runPiped(setup, "status", "--connect");
    expect(stdout).toMatch(/^notes .*needs login: plugboard login notes$/m);
  });
});

it("a running host says on its terminal that a server has come to need a login, once, and by which command", async () => {
  const setup = await loggedIn();
  const host = await running(setup);
  expect(host.stderr.text).toBe("");
  setup.as.revokeGrants();
  const line = "notes needs a login: plugboard login notes\n";
  expect(await whoami(setup)).toMatchObject({ status: 3 });
  await host.stderr.waitFor(line, 15_000);
  expect(await whoami(setup)).toMatchObject({ status: 3 });
  expect(await runPiped(setup, "login", "notes")).toMatchObject({ status: 0 });
  expect(await whoami(setup)).toEqual(asAda);
  expect(host.stderr.text).toBe(line);
  setup.as.revokeGrants();
  expect(await whoami(setup)).toMatchObject({ status: 3 });
  await host.stderr.waitFor(line + line, 15_000);
});

it(
  "a call to a server that says nowhere how to log in is told what to configure, and nobody is asked",
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
    expect(terminal.screen()).toContain("set it under `headers` or `auth`");
  },
);

describe("a call with a login", () => {
  it("asks again when the login no longer holds", async () => {
    const setup = await loggedIn();
    setup.as.revokeGrants();
    const terminal = runInTerminal(setup, "call", "notes:whoami");
    await terminal.waitFor("notes wants you to log in again: the login that there was no longer holds.");
    await terminal.waitFor(" now, in the browser? y / n: ");
    terminal.type("y\r");
    await terminal.waitFor('"sub":"ada"');
    expect(await terminal.exited).toMatchObject({ exitCode: 0 });
    expect(await setup.openedUrls()).toHaveLength(2);
  });

  it("asks whether to grant more when a tool wants it, and then goes on", { meta: { covers: ["R2.56"] } }, async () => {
    const setup = await loggedIn();
    const terminal = runInTerminal(setup, "call", "notes:admin");
    await terminal.waitFor("notes wants you to grant more than you have granted so far.");
    await terminal.waitFor(" now, in the browser? y / n: ");
    expect(await setup.openedUrls()).toHaveLength(1);
    terminal.type("y\r");
    await terminal.waitFor("as you wish");
    expect(await terminal.exited).toMatchObject({ exitCode: 0 });
    expect(await setup.openedUrls()).toHaveLength(2);
  });
});

describe("what is shown of a login", () => {
  it("is who, where and until when, in the tables and as JSON; never a token", async () => {
    const setup = await loggedIn();
    const texts: string[] = [];
    const show = async (...args: string[]) => {
      const { status, stdout, stderr } = await runPiped(setup, ...args);
      expect(status).toBe(0);
      texts.push(stdout, stderr);
      return stdout;
    };
    expect(await show("auth", "list")).toMatch(/^notes +http:\S+\/mcp .*http:\/\/127\.0\.0\.1:\d+ .* in \d+ min/m);
    const stored = JSON.parse(await show("auth", "list", "--json")) as LoginList;
    expect(stored.logins).toMatchObject([{ server: "notes", resource: setup.server.url, issuer: setup.as.issuer }]);
    expect(await show("status", "--connect")).toMatch(/^notes .*in \d+ min/m);
    const [status] = JSON.parse(await show("status", "--connect", "--json")) as ServerStatus[];
    expect(status).toMatchObject({ login: { issuer: setup.as.issuer } });
    const [bearer = ""] = setup.server.authorizations;
    const token = bearer.replace(/^Bearer /, "");
    expect(token).not.toBe("");
    for (const text of texts) expect(text).not.toContain(token);
  });

  it("also says where it is kept, which can be changed", async () => {
    const setup = await loggedIn();
    const { stdout } = await runPiped(setup, "auth", "store", "file");
    expect(stdout).toMatch(/^Logins are kept in \S+, which only you can read; it is not encrypted.*\.\n$/);
    const [, file = ""] = /kept in (\S+),/.exec(stdout) ?? [];
    expect(file.startsWith(join(setup.cwd, "state"))).toBe(true);
    expect(await readFile(file, "utf8")).toContain(setup.server.url);
    expect(await whoami(setup)).toEqual(asAda);
  });
});

describe("logout", () => {
  it("takes the login back and forgets it", async () => {
    const setup = await loggedIn();
    const { status, stdout } = await runPiped(setup, "logout", "notes");
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: "Logged out of notes: the login is forgotten here; it was taken back where it was given.\n",
    });
    expect(setup.as.validIds("RefreshToken")).toEqual([]);
    expect((await whoami(setup)).stderr).toContain("AUTH_REQUIRED");
  });

  it("is no failure where there was no login", async () => {
    const setup = await setUpProtected("stands there");
    const said = { status: 0, stdout: "There was no login for notes.\n", stderr: "" };
    expect(await runPiped(setup, "logout", "notes")).toEqual(said);
    expect(JSON.parse((await runPiped(setup, "logout", "notes", "--json")).stdout)).toMatchObject({ forgotten: false });
  });

  it("also gives up a login whose server is not configured any more", async () => {
    const setup = await loggedIn();
    await writeFile(setup.env["PLUGBOARD_CONFIG_PATH"]!, "{}");
    expect(await runPiped(setup, "logout", "notes")).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^Logged out of notes: /) as string,
    });
    expect((await runPiped(setup, "auth", "list")).stdout).toMatch(/^No logins\./);
  });

  it("of what is neither a server nor a login says that there is no such server", async () => {
    const { status, stderr } = await runPiped(await setUpProtected("stands there"), "logout", "noets");
    expect({ status, stderr }).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/^SERVER_UNKNOWN: /) as string,
    });
  });
});
