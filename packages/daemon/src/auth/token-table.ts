/**
 * The named tokens as the running host knows them. A change of the file takes effect with the next request, and open
 * sessions of a revoked token end as soon as the change is noticed.
 */
import { statSync } from "node:fs";
import { Listeners } from "@plugboard/contracts";
import type { Env } from "@plugboard/contracts";
import type { Clock } from "@plugboard/gateway";
import { principalOf, readNamedTokens, tokenFilePath } from "./named-tokens.ts";
import type { NamedToken } from "./named-tokens.ts";

export interface TokenTableOptions {
  readonly env: Env;
  readonly clock: Clock;
  /** Called if the file can't be read. Until it can, no named token is valid. */
  readonly onUnreadable: (error: unknown) => void;
}

const CHECK_MS = 500;

export class TokenTable {
  readonly #options: TokenTableOptions;
  readonly #file: string;
  readonly #revoked = new Listeners<[principal: string]>();
  #byDigest: ReadonlyMap<string, NamedToken> = new Map();
  #fingerprint: string | undefined;
  #reload: Promise<void> | undefined;
  #stopChecking = () => {};

  constructor(options: TokenTableOptions) {
    this.#options = options;
    this.#file = tokenFilePath(options.env);
    this.#scheduleCheck();
  }

  /** Calls the listener with the id of the principal of each token that no longer exists. Returns a function that removes the listener. */
  onRevoked(listener: (principal: string) => void): () => void {
    return this.#revoked.add(listener);
  }

  /** Finds a token by the digest of its secret. Reads the file again if it has changed. */
  async findByDigest(digest: string): Promise<NamedToken | undefined> {
    await this.#ensureCurrent();
    return this.#byDigest.get(digest);
  }

  close(): void {
    this.#stopChecking();
  }

  /** Checks the file for each request, so that a revoked token is invalid when `plugboard token revoke` returns. */
  async #ensureCurrent(): Promise<void> {
    while (this.#reload || this.#fingerprint !== fingerprintOf(this.#file)) {
      this.#reload ??= this.#read().finally(() => (this.#reload = undefined));
      await this.#reload;
    }
  }

  /** Notices a revoked token whose client sends no request. A watcher would run at every write to the state folder. */
  #scheduleCheck(): void {
    const check = () => {
      void this.#ensureCurrent();
      this.#scheduleCheck();
    };
    this.#stopChecking = this.#options.clock.after(CHECK_MS, check, { background: true });
  }

  async #read(): Promise<void> {
    // A file that changes during the read gets another fingerprint, and is read again.
    this.#fingerprint = fingerprintOf(this.#file);
    const before = this.#byDigest;
    const tokens = await readNamedTokens(this.#options.env).catch((error: unknown) => {
      this.#options.onUnreadable(error);
      return [];
    });
    this.#byDigest = new Map(tokens.map((token) => [token.digest, token]));
    for (const token of before.values()) {
      if (!this.#byDigest.has(token.digest)) this.#revoked.emit(principalOf(token).id);
    }
  }
}

const ABSENT = "absent";

/** Identifies the content of the file. Each write replaces the file, so its inode changes. */
function fingerprintOf(file: string): string {
  try {
    const { dev, ino, size, mtimeNs } = statSync(file, { bigint: true });
    return [dev, ino, size, mtimeNs].join(":");
  } catch {
    return ABSENT;
  }
}
