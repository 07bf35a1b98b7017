import { PassThrough } from "node:stream";
import { showLogins } from "#commands/auth.js";
import {
  renderLoginStore,
  renderLoggedIn,
  renderLoggedOut,
  renderLogins,
  renderBackendChange,
} from "#render/render-logins.js";
import { renderStatus } from "#render/render-status.js";
import { HostError } from "@plugboard/contracts";
import type { LoginStatus, ServerStatus, StoredLogin, LoginList } from "@plugboard/contracts";
import { describe, expect, it } from "vitest";

const NOW = 1_800_000_000_000;
const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000];
const FILE = "/state/mcp-auth.json";

function login(about: Partial<LoginStatus> = {}): LoginStatus {
  return { issuer: "https://login.example.com", renewable: false, ...about };
}

function stored(about: Partial<StoredLogin> = {}): StoredLogin {
  return { ...login(), server: "notes", resource: "https://notes.example.com/mcp", ...about };
}

function kept(...logins: StoredLogin[]): LoginList {
  return { backend: "keyring", file: FILE, logins };
}

function server(about: Partial<ServerStatus> = {}): ServerStatus {
  const base = { id: "notes", transport: "http", source: "user", target: "https://notes.example.com/mcp" } as const;
  return { ...base, enabled: true, state: "ready", tools: 3, ...about };
}

describe("the logins that are kept", () => {
  it("are a table: whose, where and until when, and below it where they are kept", () => {
    const logins = [
      stored({ user: "ann@example.com", scope: "read write", expiresAt: NOW + 52 * MINUTE, renewable: true }),
      stored({ server: "repo", account: "work", scope: "a-very-long-scope ".repeat(3).trim(), expiresAt: NOW - 1 }),
    ];
    expect(renderLogins(kept(...logins), NOW)).toBe(
      [
        "SERVER  URL                            ACCOUNT  WHO              LOGGED IN AT               SCOPE       EXPIRES",
        "notes   https://notes.example.com/mcp  –        ann@example.com  https://login.example.com  read write  in 52 min, renews by itself",
        "repo    https://notes.example.com/mcp  work     –                https://login.example.com  3 scopes    expired",
        "",
        `Logins are kept in ${FILE}, encrypted with a key in the keyring.`,
        "",
      ].join("\n"),
    );
  });

  it.each([
    [30_000, false, "in 1 min"],
    [89 * MINUTE, false, "in 89 min"],
    [2 * HOUR, true, "in 2 h, renews by itself"],
    [30 * DAY, false, "in 30 days"],
    [0, false, "expired"],
    [-HOUR, true, "now, renews at the next use"],
    [undefined, true, "–"],
  ])("end after %s ms, renewable %s: %s", (left, renewable, words) => {
    const until = left === undefined ? {} : { expiresAt: NOW + left };
    const [, row = ""] = renderLogins(kept(stored({ ...until, renewable })), NOW).split("\n");
    expect(row.split(/ {2,}/).at(-1)).toBe(words);
  });

  it("may be none", () => {
    expect(renderLogins(kept(), NOW)).toMatch(/^No logins\.\n\nLogins are kept in .*\n$/);
  });

  it.each([false, true])("may be unreadable, which is an error and not none; as JSON: %s", (json) => {
    const unreadable = new HostError("KEYRING_UNAVAILABLE", { reason: "the keyring is locked" }).toJSON();
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const to = { stdout, stderr } as unknown as Parameters<typeof showLogins>[2];
    const given = { ...kept(), note: "the keyring is locked", unreadable };
    expect(showLogins(given, json, to)).toBe(3);
    const [out, err] = [stdout.read() as Buffer, stderr.read() as Buffer].map(String);
    if (json) expect([out, err].map((text) => JSON.parse(text!) as unknown)).toEqual([given, { error: unreadable }]);
    else expect(out).toBe(`Logins are kept in ${FILE}, encrypted with a key in the keyring.\n`);
    expect(err).toContain("KEYRING_UNAVAILABLE");
    expect(err).toContain("the keyring is locked");
  });

  it("do not act on the terminal by what a server has put into them", { meta: { covers: ["A7"] } }, () => {
    const shown = renderLogins(kept(stored({ user: "ann\u001b[2J\n\u202e", issuer: "https://x\u200b" })), NOW);
    expect(shown).toContain("ann<U+001B>[2J⏎<U+202E>");
    expect(shown).toContain("https://x<U+200B>");
  });
});

it.each([
  [{ backend: "keyring", file: FILE, logins: [] }, `${FILE}, encrypted with a key in the keyring.`],
  [
    { backend: "file", file: FILE, note: "the keyring is locked", logins: [] },
    `${FILE}, which only you can read; it is not encrypted. The keyring is locked.`,
  ],
  [{ backend: "memory", logins: [] }, "Logins are not kept: they end with the host."],
] as const)("where logins are kept is one line", (where, words) => {
  expect(renderLoginStore(where)).toContain(words);
});

it("logins that are kept elsewhere now and could not be read are said to stay where they are", () => {
  const moved = { backend: "file", file: FILE, logins: [] } as const;
  const where = `Logins are kept in ${FILE}, which only you can read; it is not encrypted.\n`;
  expect(renderBackendChange(moved)).toBe(where);
  expect(renderBackendChange({ ...moved, leftBehind: `${FILE}.1` })).toBe(
    `${where}The logins that could not be read stay in ${FILE}.1; log in anew.\n`,
  );
});

describe("a login that was made", () => {
  it("is one line: who, where, until when, and where it is kept", () => {
    const made = login({ account: "work", user: "ann@example.com", expiresAt: NOW + HOUR, renewable: true });
    expect(renderLoggedIn(server({ login: made }), kept(), NOW)).toBe(
      "Logged in to notes (account work) as ann@example.com at https://login.example.com, " +
        `expires in 60 min, renews by itself. Logins are kept in ${FILE}, encrypted with a key in the keyring.\n`,
    );
  });

  it("leaves no gap where something is not known", () => {
    expect(renderLoggedIn(server({ login: login() }), undefined, NOW)).toBe(
      "Logged in to notes at https://login.example.com.\n",
    );
    expect(renderLoggedIn(server(), undefined, NOW)).toBe("Logged in to notes.\n");
  });
});

it.each([
  [{ forgotten: true, revoked: "yes" }, "Logged out of notes: the login is forgotten here; it was taken back"],
  [{ forgotten: true, revoked: "no" }, "it could not be taken back, and may be good until it expires"],
  [{ forgotten: true, revoked: "unsupported" }, "it can't be taken back, and may be good until it expires"],
  [{ forgotten: false, revoked: "no" }, "There was no login for notes."],
] as const)("a login that was given up: %j", (report, words) => {
  expect(renderLoggedOut("notes", report)).toContain(words);
});

describe("the table of servers", () => {
  it("has a column for logins when there is one, or one is wanted", () => {
    const servers = [
      server({ login: login({ user: "ann@example.com", expiresAt: NOW + 52 * MINUTE, renewable: true }) }),
      server({ id: "work", login: login({ account: "work", expiresAt: NOW }) }),
      server({ id: "bare", login: login() }),
      server({ id: "repo", state: "auth_required" }),
      server({ id: "files" }),
    ];
    const column = renderStatus(servers, NOW)
      .trimEnd()
      .split("\n")
      .map((line) => line.split(/ {2,}/).at(-1));
    expect(column).toEqual([
      "LOGIN",
      "ann@example.com (expires in 52 min, renews by itself)",
      "work (expired)",
      "logged in",
      "needs login: plugboard login repo",
      "–",
    ]);
  });

  it("has none otherwise", () => {
    expect(renderStatus([server()], NOW)).not.toContain("LOGIN");
  });

  it.each([
    new HostError("AUTH_REQUIRED", { server: "notes", reason: "the key was refused", configured: true }),
    new HostError("LOGIN_NOT_OFFERED", { server: "notes", reason: "it publishes no metadata" }),
  ])("names no command where nobody can log in: %s", (error) => {
    const shown = renderStatus([server({ state: "auth_required", lastError: error.toJSON() })], NOW);
    expect(shown).toContain(`notes: ${error.code}: `);
    expect(shown).not.toContain("plugboard login notes");
  });
});
