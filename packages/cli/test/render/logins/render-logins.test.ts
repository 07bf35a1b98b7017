import { PassThrough } from "node:stream";
import { showLogins } from "#commands/logins/auth.js";
import {
  renderLoginStore,
  renderLoggedIn,
  renderLoggedOut,
  renderLogins,
  renderBackendChange,
} from "#render/logins/render-logins.js";
import { renderStatus } from "#render/servers/render-status.js";
import { plainText } from "#terminal/text.js";
import { commandMessage, HostError } from "@plugboard/contracts";
import type { LoginStatus, ServerStatus, StoredLogin, LoginList } from "@plugboard/contracts";
import { describe, expect, it } from "vitest";

const NOW = 1_800_000_000_000;
const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000];
const FILE = "/state/mcp-auth.json";

function login(fields: Partial<LoginStatus> = {}): LoginStatus {
  return { issuer: "https://login.example.com", renewable: false, ...fields };
}

function storedLogin(fields: Partial<StoredLogin> = {}): StoredLogin {
  return { ...login(), server: "notes", resource: "https://notes.example.com/mcp", ...fields };
}

function loginList(...logins: StoredLogin[]): LoginList {
  return { backend: "keyring", file: FILE, logins };
}

function server(fields: Partial<ServerStatus> = {}): ServerStatus {
  const base = { id: "notes", transport: "http", source: "user", target: "https://notes.example.com/mcp" } as const;
  return { ...base, enabled: true, state: "ready", tools: 3, ...fields };
}

describe("renderLogins", () => {
  it("shows a table of accounts, issuers and expiry, and where the logins are stored", () => {
    const logins = [
      storedLogin({ user: "ann@example.com", scope: "read write", expiresAt: NOW + 52 * MINUTE, renewable: true }),
      storedLogin({
        server: "repo",
        account: "work",
        scope: "a-very-long-scope ".repeat(3).trim(),
        expiresAt: NOW - 1,
      }),
    ];
    expect(renderLogins(loginList(...logins), NOW)).toBe(
      [
        "SERVER  URL                            ACCOUNT  USER             LOGGED IN AT               SCOPE       EXPIRES",
        "notes   https://notes.example.com/mcp  –        ann@example.com  https://login.example.com  read write  in 52 min, renews automatically",
        "repo    https://notes.example.com/mcp  work     –                https://login.example.com  3 scopes    expired",
        "",
        `Logins are stored in ${FILE}, encrypted with a key in the keyring.`,
        "",
      ].join("\n"),
    );
  });

  it.each([
    [7_900, false, "in 8 s"],
    [59_999, true, "in 60 s, renews automatically"],
    [MINUTE, false, "in 1 min"],
    [89 * MINUTE, false, "in 89 min"],
    [2 * HOUR, true, "in 2 h, renews automatically"],
    [30 * DAY, false, "in 30 days"],
    [0, false, "expired"],
    [-HOUR, true, "now, renews at next use"],
    [undefined, true, "–"],
  ])("shows the expiry of a login after %s ms (renewable: %s) as %s", (leftMs, renewable, words) => {
    const expiry = leftMs === undefined ? {} : { expiresAt: NOW + leftMs };
    const [, row = ""] = renderLogins(loginList(storedLogin({ ...expiry, renewable })), NOW).split("\n");
    expect(row.split(/ {2,}/).at(-1)).toBe(words);
  });

  it("shows whose login each one is if a client of the gateway has logged in itself", () => {
    const [head, ...rows] = renderLogins(loginList(storedLogin(), storedLogin({ principal: "ann" })), NOW).split("\n");
    expect(head).toMatch(/^SERVER {2}FOR/);
    expect(rows[0]).toMatch(/^notes {3}you /);
    expect(rows[1]).toMatch(/^notes {3}ann /);
  });

  it("says that no logins are stored", () => {
    expect(renderLogins(loginList(), NOW)).toMatch(/^No logins\.\n\nLogins are stored in .*\n$/);
  });

  it.each([false, true])("reports unreadable logins as an error (JSON: %s)", (json) => {
    const unreadable = new HostError("KEYRING_UNAVAILABLE", { reason: "the keyring is locked" }).toJSON();
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const streams = { stdout, stderr } as unknown as Parameters<typeof showLogins>[2];
    const list = { ...loginList(), note: "the keyring is locked", unreadable };
    expect(showLogins(list, json, streams)).toBe(3);
    const [out, err] = [stdout.read() as Buffer, stderr.read() as Buffer].map(String);
    const error = { ...unreadable, message: commandMessage(unreadable) };
    if (json) expect([out, err].map((text) => JSON.parse(text!) as unknown)).toEqual([list, { error }]);
    else expect(out).toBe(`Logins are stored in ${FILE}, encrypted with a key in the keyring.\n`);
    expect(err).toContain("KEYRING_UNAVAILABLE");
    expect(err).toContain("the keyring is locked");
  });

  it("escapes control characters from the server", { meta: { covers: ["A7"] } }, () => {
    const shown = renderLogins(
      loginList(storedLogin({ user: "ann\u001b[2J\n\u202e", issuer: "https://x\u200b" })),
      NOW,
    );
    expect(shown).toContain("ann<U+001B>[2J⏎<U+202E>");
    expect(shown).toContain("https://x<U+200B>");
  });
});

it.each([
  [{ backend: "keyring", file: FILE, logins: [] }, `${FILE}, encrypted with a key in the keyring.`],
  [
    { backend: "file", file: FILE, note: "the keyring is locked", logins: [] },
    `unencrypted in ${FILE}, which only you can read. The keyring is locked.`,
  ],
  [{ backend: "memory", logins: [] }, "Logins are not stored. They end with the host."],
] as const)("renderLoginStore says on one line where logins are stored: %j", (list, words) => {
  expect(renderLoginStore(list)).toContain(words);
});

it("renderBackendChange names the file of logins that could not be read", () => {
  const moved = { backend: "file", file: FILE, logins: [] } as const;
  const storeLine = `Logins are stored unencrypted in ${FILE}, which only you can read.\n`;
  expect(renderBackendChange(moved)).toBe(storeLine);
  expect(renderBackendChange({ ...moved, leftBehind: `${FILE}.1` })).toBe(
    `${storeLine}Logins that could not be read stay in ${FILE}.1. Log in again.\n`,
  );
  expect(renderBackendChange({ ...moved, leftBehindSecrets: "/state/secrets.json.1" })).toBe(
    `${storeLine}Secrets that could not be read stay in /state/secrets.json.1. Set them again.\n`,
  );
});

describe("renderLoggedIn", () => {
  it("shows the user, the issuer, the expiry and where the login is stored", () => {
    const newLogin = login({ account: "work", user: "ann@example.com", expiresAt: NOW + HOUR, renewable: true });
    expect(renderLoggedIn(server({ login: newLogin }), loginList(), NOW)).toBe(
      "Logged in to notes (account work) as ann@example.com at https://login.example.com, " +
        `expires in 60 min, renews automatically. Logins are stored in ${FILE}, encrypted with a key in the keyring.\n`,
    );
  });

  it("omits unknown parts", () => {
    expect(renderLoggedIn(server({ login: login() }), undefined, NOW)).toBe(
      "Logged in to notes at https://login.example.com.\n",
    );
    expect(renderLoggedIn(server(), undefined, NOW)).toBe("Logged in to notes.\n");
  });
});

it.each([
  [{ forgotten: true, revoked: "yes" }, "Logged out of notes. The login was deleted here; the tokens were revoked."],
  [{ forgotten: true, revoked: "no" }, "the tokens could not be revoked and may be valid until they expire"],
  [
    { forgotten: true, revoked: "unsupported" },
    "the issuer can't revoke tokens, so they may be valid until they expire",
  ],
  [{ forgotten: false, revoked: "no" }, "There was no login for notes."],
] as const)("renderLoggedOut says what happened to the login: %j", (report, words) => {
  expect(renderLoggedOut("notes", report)).toContain(words);
});

describe("renderStatus", () => {
  it("has a column for logins if a server has or needs one", () => {
    const servers = [
      server({ login: login({ user: "ann@example.com", expiresAt: NOW + 52 * MINUTE, renewable: true }) }),
      server({ id: "work", login: login({ account: "work", expiresAt: NOW }) }),
      server({ id: "bare", login: login() }),
      server({ id: "repo", state: "auth_required" }),
      server({ id: "files" }),
    ];
    const column = plainText(renderStatus(servers, { now: NOW }))
      .trimEnd()
      .split("\n")
      .map((line) => line.split(/ {2,}/).at(-1));
    expect(column).toEqual([
      "LOGIN",
      "ann@example.com (expires in 52 min, renews automatically)",
      "work (expired)",
      "logged in",
      "needs login: plugboard login repo",
      "–",
    ]);
  });

  it("has no column for logins otherwise", () => {
    expect(plainText(renderStatus([server()], { now: NOW }))).not.toContain("LOGIN");
  });

  it.each([
    new HostError("AUTH_REQUIRED", { server: "notes", reason: "the key was refused", configured: true }),
    new HostError("LOGIN_NOT_OFFERED", { server: "notes", reason: "it publishes no metadata" }),
  ])("does not suggest the login command if a login is not possible: %s", (error) => {
    const shown = plainText(
      renderStatus([server({ state: "auth_required", lastError: error.toJSON() })], { now: NOW }),
    );
    expect(shown).toContain(`notes: ${error.code}: `);
    expect(shown).not.toContain("plugboard login notes");
  });
});
