/**
 * The browsers that are signed in to the page. `plugboard ui` gets a one-time code over the owner's socket.
 * The page exchanges the code for a cookie and a key. A request needs both: browsers send cookies to every port of a
 * host, so another local server could read the cookie; the key is stored for the origin of the page only.
 */
import { createHash, randomBytes } from "node:crypto";
import type { Clock } from "@plugboard/contracts";

export interface PageSession {
  /** The value of the cookie. Scripts can't read it. */
  readonly cookie: string;
  /** The page sends the key in a header. Pages of other origins can't do this. */
  readonly key: string;
}

export interface PageSessionsOptions {
  readonly clock: Pick<Clock, "now">;
  /** Makes a secret that nobody can guess. */
  readonly newSecret?: () => string;
}

const CODE_LIFETIME_MS = 10 * 60_000;
const SESSION_LIFETIME_MS = 30 * 24 * 60 * 60_000;
const MAX_CODES = 100;
const MAX_SESSIONS = 100;

export class PageSessions {
  readonly #clock: Pick<Clock, "now">;
  readonly #newSecret: () => string;
  /** The expiry of each unused code, by the digest of the code. */
  readonly #codes = new Map<string, number>();
  /** The sessions by the digest of cookie and key. */
  readonly #sessions = new Map<string, { readonly cookie: string; readonly expiresAt: number }>();

  constructor({ clock, newSecret = () => randomBytes(32).toString("base64url") }: PageSessionsOptions) {
    this.#clock = clock;
    this.#newSecret = newSecret;
  }

  createCode(): { readonly code: string; readonly expiresAt: number } {
    const code = this.#newSecret();
    const expiresAt = this.#clock.now() + CODE_LIFETIME_MS;
    add(this.#codes, digestOf(code), expiresAt, MAX_CODES);
    return { code, expiresAt };
  }

  /** Returns true if the code can still sign a browser in. */
  accepts(code: string): boolean {
    const expiresAt = this.#codes.get(digestOf(code));
    return expiresAt !== undefined && expiresAt > this.#clock.now();
  }

  /**
   * Signs a browser in. Returns undefined if the code is unknown, used or expired. `cookies` are the cookies that
   * the browser sent. If one belongs to an open session, the browser keeps it, so that its other tabs stay signed in.
   */
  redeem(code: string, cookies: readonly string[] = []): PageSession | undefined {
    const accepted = this.accepts(code);
    this.#codes.delete(digestOf(code));
    if (!accepted) return undefined;
    const known = cookies.find((cookie) => this.#isInUse(digestOf(cookie)));
    const session = { cookie: known ?? this.#newSecret(), key: this.#newSecret() };
    const entry = { cookie: digestOf(session.cookie), expiresAt: this.#clock.now() + SESSION_LIFETIME_MS };
    add(this.#sessions, sessionDigest(session), entry, MAX_SESSIONS);
    return session;
  }

  has(session: PageSession): boolean {
    const { expiresAt } = this.#sessions.get(sessionDigest(session)) ?? {};
    return expiresAt !== undefined && expiresAt > this.#clock.now();
  }

  /** Ends the session, and the sessions of the same browser in other tabs. */
  end(session: PageSession): void {
    const { cookie } = this.#sessions.get(sessionDigest(session)) ?? {};
    if (cookie === undefined) return;
    for (const [digest, other] of this.#sessions) if (other.cookie === cookie) this.#sessions.delete(digest);
  }

  #isInUse(cookie: string): boolean {
    const now = this.#clock.now();
    return [...this.#sessions.values()].some((session) => session.cookie === cookie && session.expiresAt > now);
  }
}

/** The longest time for which a browser stores the cookie. */
export const COOKIE_MAX_AGE_SECONDS = SESSION_LIFETIME_MS / 1000;

/** Drops the oldest entry above the limit. */
function add<T>(entries: Map<string, T>, digest: string, entry: T, limit: number): void {
  entries.set(digest, entry);
  const [oldest] = entries.keys();
  if (entries.size > limit) entries.delete(oldest!);
}

/** Hashes the secret, so that the time of a lookup reveals nothing about it. */
function digestOf(secret: string): string {
  return createHash("sha256").update(secret).digest("base64url");
}

function sessionDigest({ cookie, key }: PageSession): string {
  return digestOf(`${cookie}\n${key}`);
}
