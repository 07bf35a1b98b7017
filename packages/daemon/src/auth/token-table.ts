/**
 * The named tokens as the running host knows them. A change of the file takes effect with the next request, and open
 * sessions of a revoked token end as soon as the change is noticed.
 */
import { statSync } from "node:fs";
import { Listeners } from "@plugboard/contracts";
import type { Env } from "@plugboard/contracts";
import { watchFiles } from "@plugboard/store";
import { principalOf, readNamedTokens, tokenFilePath } from "@plugboard/host/tokens";
import type { NamedToken } from "@plugboard/host/tokens";

export interface TokenTableOptions {
  readonly env: Env;
  /** Called if the file can't be read. Until it can, no named token is valid. */
  readonly onUnreadable: (error: unknown) => void;
}

export class TokenTable {
  readonly #options: TokenTableOptions;
  readonly #file: string;
  readonly #revoked = new Listeners<[principal: string]>();
  #byDigest: ReadonlyMap<string, NamedToken> = new Map();
  #fingerprint: string | undefined;
  #reload: Promise<void> | undefined;
  /** Notices a revoked token whose client sends no request. */
  readonly #watch: { stop(): void };

  constructor(options: TokenTableOptions) {
    this.#options = options;
    this.#file = tokenFilePath(options.env);
    this.#watch = watchFiles([this.#file], () => void this.#ensureCurrent());
  }

  /**
   * Calls the listener with the principal's id when a token no longer exists. Returns a function that removes the
   * listener.
   */
  onRevoked(listener: (principal: string) => void): () => void {
    return this.#revoked.add(listener);
  }

  /** Finds a token by the digest of its secret. Reads the file again if it has changed. */
  async findByDigest(digest: string): Promise<NamedToken | undefined> {
    await this.#ensureCurrent();
    return this.#byDigest.get(digest);
  }

  close(): void {
    this.#watch.stop();
  }

  /** Checks the file for each request, so that a revoked token is invalid when `plugboard token revoke` returns. */
  async #ensureCurrent(): Promise<void> {
    while (this.#reload || this.#fingerprint !== fingerprintOf(this.#file)) {
      this.#reload ??= this.#read().finally(() => (this.#reload = undefined));
      await this.#reload;
    }
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
