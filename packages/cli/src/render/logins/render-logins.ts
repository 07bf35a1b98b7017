/** Renders stored logins: account, issuer, expiry, and where they are stored. */
import { sanitizeLine } from "@plugboard/contracts";
import type { LoginStatus, LogoutReport, ServerStatus, LoginList } from "@plugboard/contracts";
import { plainText } from "../../terminal/text.ts";
import { layOutTable, renderTable } from "../render-table.ts";

/** `columns`: the width of the terminal. By default, rows have any width. */
export function renderLogins(stored: LoginList, now: number, columns = Infinity): string {
  const storeLine = `${renderLoginStore(stored)}\n`;
  if (stored.unreadable) return storeLine;
  if (stored.logins.length === 0) return `No logins.\n\n${storeLine}`;
  // Clients of the gateway may have logins of their own.
  const hasPrincipals = stored.logins.some(({ principal }) => principal !== undefined);
  const rows = stored.logins.map((login) => [
    login.server,
    ...(hasPrincipals ? [login.principal ?? "you"] : []),
    login.resource,
    login.account ?? "–",
    login.user ?? "–",
    login.issuer,
    shortScope(login.scope),
    timeUntilExpiry(login, now) ?? "–",
  ]);
  const titles = [
    "SERVER",
    ...(hasPrincipals ? ["FOR"] : []),
    "URL",
    "ACCOUNT",
    "USER",
    "LOGGED IN AT",
    "SCOPE",
    "EXPIRES",
  ];
  const table = layOutTable(titles, rows, { columns, optional: ["SCOPE", "ACCOUNT", "LOGGED IN AT", "USER", "URL"] });
  return `${plainText([table.head, ...rows.map((row) => table.row(row))])}\n${storeLine}`;
}

/** Renders one line that says where the logins are stored. */
export function renderLoginStore({ backend, file, note, unreadable }: LoginList): string {
  const storeSentence = {
    keyring: `Logins are stored in ${file}, encrypted with a key in the keyring.`,
    file: `Logins are stored unencrypted in ${file}, which only you can read.`,
    memory: "Logins are not stored. They end with the host.",
  }[backend];
  // If the logins are unreadable, the reason is shown as an error instead.
  return sanitizeLine(note === undefined || unreadable ? storeSentence : `${storeSentence} ${asSentence(note)}`);
}

/** Renders the result of `plugboard auth store`. */
export function renderBackendChange(stored: LoginList): string {
  const { leftBehind, leftBehindSecrets } = stored;
  const notes = [
    leftBehind && `Logins that could not be read stay in ${leftBehind}. Log in again.`,
    leftBehindSecrets && `Secrets that could not be read stay in ${leftBehindSecrets}. Set them again.`,
  ].filter((note) => note !== undefined);
  return [renderLoginStore(stored), ...notes.map(sanitizeLine)].map((line) => `${line}\n`).join("");
}

const MAX_SCOPE_LENGTH = 40;

function shortScope(scope = ""): string {
  if (scope === "") return "–";
  return scope.length <= MAX_SCOPE_LENGTH ? scope : `${scope.split(" ").length} scopes`;
}

function asSentence(note: string): string {
  return `${note.charAt(0).toUpperCase()}${note.slice(1)}${note.endsWith(".") ? "" : "."}`;
}

/** Renders the result of `plugboard login` on one line. */
export function renderLoggedIn({ id, login }: ServerStatus, stored: LoginList | undefined, now: number): string {
  const asUser = login?.user === undefined ? "" : ` as ${login.user}`;
  const withAccount = login?.account === undefined ? "" : ` (account ${login.account})`;
  const atIssuer = login === undefined ? "" : ` at ${login.issuer}`;
  const expiry = login && describeExpiry(login, now);
  const expiryNote = expiry === undefined ? "" : `, ${expiry}`;
  const storeNote = stored === undefined ? "" : ` ${renderLoginStore(stored)}`;
  return `${sanitizeLine(`Logged in to ${id}${withAccount}${asUser}${atIssuer}${expiryNote}.${storeNote}`)}\n`;
}

export function renderLoggedOut(server: string, { forgotten, revoked }: LogoutReport): string {
  const id = sanitizeLine(server);
  if (!forgotten) return `There was no login for ${id}.\n`;
  const revocation = {
    yes: "the tokens were revoked",
    no: "the tokens could not be revoked and may be valid until they expire",
    unsupported: "the issuer can't revoke tokens, so they may be valid until they expire",
  }[revoked];
  return `Logged out of ${id}. The login was deleted here; ${revocation}.\n`;
}

/** Renders one row per server. Adds a column for logins if any server has or needs one. */
export function renderTableWithLogins(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  servers: readonly ServerStatus[],
  now: number,
): string {
  const logins = servers.map((server) => summarizeLogin(server, now));
  if (logins.every((login) => login === undefined)) return renderTable(head, rows);
  return renderTable(
    [...head, "LOGIN"],
    rows.map((row, index) => [...row, logins[index] ?? "–"]),
  );
}

export function summarizeLogin(server: ServerStatus, now: number): string | undefined {
  const { id, state, login } = server;
  if (state === "auth_required") return needsLogin(server) ? `needs login: plugboard login ${id}` : undefined;
  if (login === undefined) return undefined;
  const expiry = describeExpiry(login, now);
  return `${login.user ?? login.account ?? "logged in"}${expiry === undefined ? "" : ` (${expiry})`}`;
}

/** Returns false if `plugboard login` would not help: the definition is wrong, or the server offers no login. */
export function needsLogin({ state, lastError: error }: ServerStatus): boolean {
  if (state !== "auth_required") return false;
  return error === undefined || (error.code === "AUTH_REQUIRED" && error.details["configured"] !== true);
}

const [SECOND, MINUTE, HOUR, DAY] = [1000, 60_000, 3_600_000, 86_400_000];

function describeExpiry(login: LoginStatus, now: number): string | undefined {
  const until = timeUntilExpiry(login, now);
  return until === undefined || until === "expired" ? until : `expires ${until}`;
}

/** Returns text such as "in 52 min, renews automatically", or undefined if the login does not expire. */
function timeUntilExpiry({ expiresAt, renewable }: LoginStatus, now: number): string | undefined {
  if (expiresAt === undefined) return undefined;
  const leftMs = expiresAt - now;
  if (leftMs <= 0) return renewable ? "now, renews at next use" : "expired";
  return `in ${formatDuration(leftMs)}${renewable ? ", renews automatically" : ""}`;
}

function formatDuration(ms: number): string {
  if (ms < MINUTE) return `${Math.ceil(ms / SECOND)} s`;
  if (ms < 90 * MINUTE) return `${Math.round(ms / MINUTE)} min`;
  return ms < 2 * DAY ? `${Math.round(ms / HOUR)} h` : `${Math.round(ms / DAY)} days`;
}
