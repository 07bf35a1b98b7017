/** Sample logins, and fake keyrings. */
import { KeyringUnavailable } from "#auth/vault/keyring.js";
import type { Keyring } from "#auth/vault/keyring.js";
import type { LoginRecord, LoginKey } from "#auth/vault/login-record.js";

// Keys of logins. NOTES and WORK are two accounts at the same server.
export const NOTES: LoginKey = { resource: "https://notes.example/mcp" };
export const WORK: LoginKey = { resource: "https://notes.example/mcp", account: "work" };
export const FILES: LoginKey = { resource: "https://files.example/" };

export function sampleLogin(key: LoginKey, overrides: Partial<LoginRecord> = {}): LoginRecord {
  return {
    access_token: `access of ${key.resource} ${key.account}`,
    token_type: "Bearer",
    refresh_token: `refresh of ${key.resource} ${key.account}`,
    expires_at: 1_760_000_000_000,
    scope: "files:read",
    client_id: "client-1",
    client_secret: "client secret",
    auth_method: "client_secret_basic",
    client_origin: "registered",
    issuer: "https://login.example",
    resource: key.resource,
    ...(key.account !== undefined && { account: key.account }),
    url: key.resource,
    obtained_at: 1_759_000_000_000,
    ...overrides,
  };
}

export const NO_KEYRING: Keyring = {
  get: () => Promise.reject(new KeyringUnavailable("absent", "there is no keyring here")),
  set: () => Promise.reject(new KeyringUnavailable("absent", "there is no keyring here")),
  delete: () => Promise.reject(new KeyringUnavailable("absent", "there is no keyring here")),
};

/** A keyring in memory. Its methods reject while `locked` is true. */
export class InMemoryKeyring implements Keyring {
  readonly content = new Map<string, string>();
  accessCount = 0;
  locked = false;

  async get(name: string): Promise<string | undefined> {
    this.#check();
    return this.content.get(name);
  }

  async set(name: string, value: string): Promise<void> {
    this.#check();
    this.content.set(name, value);
  }

  async delete(name: string): Promise<void> {
    this.#check();
    this.content.delete(name);
  }

  #check(): void {
    this.accessCount += 1;
    if (this.locked) throw new KeyringUnavailable("refused", "the keyring is locked");
  }
}
