/** Logins that there are, in words: whose, where, until when, and where they are kept. */
import { sanitiseLine } from "@plugboard/contracts";
import type { LoginStatus, LogoutReport, ServerStatus, StoredLogins } from "@plugboard/contracts";
import { renderTable } from "./table.ts";

export function renderLogins(stored: StoredLogins, now: number): string {
  const kept = `${renderKept(stored)}\n`;
  if (stored.unreadable) return kept;
  if (stored.logins.length === 0) return `No logins.\n\n${kept}`;
  const rows = stored.logins.map((login) => [
    login.server,
    login.resource,
    login.account ?? "–",
    login.who ?? "–",
    login.issuer,
    shortScope(login.scope),
    untilWhen(login, now) ?? "–",
  ]);
  const table = renderTable(["SERVER", "URL", "ACCOUNT", "WHO", "LOGGED IN AT", "SCOPE", "EXPIRES"], rows);
  return `${table}\n${kept}`;
}

/** Where they are kept, in one line. */
export function renderKept({ backend, file, note, unreadable }: StoredLogins): string {
  const where = {
    keyring: `Logins are kept in ${file}, encrypted with a key in the keyring.`,
    file: `Logins are kept in ${file}, which only you can read; it is not encrypted.`,
    memory: "Logins are not kept: they end with the host.",
  }[backend];
  // Why they can't be read is an error, and told as one.
  return sanitiseLine(note === undefined || unreadable ? where : `${where} ${asSentence(note)}`);
}

/** After they were to be kept elsewhere. */
export function renderMoved(stored: StoredLogins): string {
  const { left_behind } = stored;
  const left = left_behind && `The logins that could not be read stay in ${left_behind}; log in anew.`;
  return `${renderKept(stored)}\n${left === undefined ? "" : `${sanitiseLine(left)}\n`}`;
}

const MOST_SCOPE = 40;

function shortScope(scope = ""): string {
  if (scope === "") return "–";
  return scope.length <= MOST_SCOPE ? scope : `${scope.split(" ").length} scopes`;
}

function asSentence(note: string): string {
  return `${note.charAt(0).toUpperCase()}${note.slice(1)}${note.endsWith(".") ? "" : "."}`;
}

/** One line of what a login has come to. */
export function renderLoggedIn({ id, login }: ServerStatus, kept: StoredLogins | undefined, now: number): string {
  const who = login?.who === undefined ? "" : ` as ${login.who}`;
  const account = login?.account === undefined ? "" : ` (account ${login.account})`;
  const at = login === undefined ? "" : ` at ${login.issuer}`;
  const expiry = login && expiryOf(login, now);
  const expires = expiry === undefined ? "" : `, ${expiry}`;
  const where = kept === undefined ? "" : ` ${renderKept(kept)}`;
  return `${sanitiseLine(`Logged in to ${id}${account}${who}${at}${expires}.${where}`)}\n`;
}

export function renderLoggedOut(server: string, { forgotten, revoked }: LogoutReport): string {
  const id = sanitiseLine(server);
  if (!forgotten) return `There was no login for ${id}.\n`;
  const there = {
    yes: "it was taken back where it was given",
    no: "where it was given it could not be taken back, and may be good until it expires",
    unsupported: "where it was given it can't be taken back, and may be good until it expires",
  }[revoked];
  return `Logged out of ${id}: the login is forgotten here; ${there}.\n`;
}

/** A row for each server, with a last column for their logins if there is anything to say in it. */
export function renderWithLogins(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  servers: readonly ServerStatus[],
  now: number,
): string {
  const logins = servers.map((server) => loginOf(server, now));
  if (logins.every((login) => login === undefined)) return renderTable(head, rows);
  return renderTable(
    [...head, "LOGIN"],
    rows.map((row, at) => [...row, logins[at] ?? "–"]),
  );
}

export function loginOf(server: ServerStatus, now: number): string | undefined {
  const { id, state, login } = server;
  if (state === "auth_required") return needsLogin(server) ? `needs login: plugboard login ${id}` : undefined;
  if (login === undefined) return undefined;
  const expiry = expiryOf(login, now);
  return `${login.who ?? login.account ?? "logged in"}${expiry === undefined ? "" : ` (${expiry})`}`;
}

/** Not where the definition has to be corrected, or the server says nothing of logins: that is told with the error. */
export function needsLogin({ state, last_error: error }: ServerStatus): boolean {
  if (state !== "auth_required") return false;
  return error === undefined || (error.code === "AUTH_REQUIRED" && error.details["configured"] !== true);
}

const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000];

function expiryOf(login: LoginStatus, now: number): string | undefined {
  const until = untilWhen(login, now);
  return until === undefined || until === "expired" ? until : `expires ${until}`;
}

/** Such as "in 52 min, renews by itself". */
function untilWhen({ expires_at, renewable }: LoginStatus, now: number): string | undefined {
  if (expires_at === undefined) return undefined;
  const left = expires_at - now;
  if (left <= 0) return renewable ? "now, renews at the next use" : "expired";
  return `in ${inWords(left)}${renewable ? ", renews by itself" : ""}`;
}

function inWords(ms: number): string {
  if (ms < 90 * MINUTE) return `${Math.max(1, Math.round(ms / MINUTE))} min`;
  return ms < 2 * DAY ? `${Math.round(ms / HOUR)} h` : `${Math.round(ms / DAY)} days`;
}
