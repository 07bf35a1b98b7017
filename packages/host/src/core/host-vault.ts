/**
 * The stored logins and secrets of a host. Their stores are opened on first use, because the paths of their files are
 * known only after the state folder is open.
 */
import type { HostEventData, LoginBackend, LoginList, Clock } from "@plugboard/contracts";
import { LoginManager } from "../auth/login-manager.ts";
import type { Keyring } from "../auth/vault/keyring.ts";
import { LoginStore } from "../auth/vault/login-store.ts";
import { SecretStore } from "../auth/vault/secret-store.ts";
import { watchFiles } from "@plugboard/store";
import type { SharedState } from "./shared-state.ts";

export interface HostVaultOptions {
  readonly state: SharedState;
  readonly keyring: Keyring;
  readonly clock: Clock;
  readonly emit: (event: HostEventData) => void;
}

export class HostVault {
  readonly #options: HostVaultOptions;
  #openedLoginStore: LoginStore | undefined;
  #logins: LoginManager | undefined;
  #secrets: SecretStore | undefined;

  constructor(options: HostVaultOptions) {
    this.#options = options;
  }

  get logins(): LoginManager {
    const { clock, emit } = this.#options;
    return (this.#logins ??= new LoginManager({ store: () => this.#loginStore, clock, emit, watch: watchFiles }));
  }

  get secrets(): SecretStore {
    const { state, keyring, emit } = this.#options;
    const loginBackend = async () => (await this.#loginStore.backend()).backend;
    return (this.#secrets ??= new SecretStore({ file: state.secretFile, keyring, emit, loginBackend }));
  }

  /**
   * Moves the logins, then the secrets, to another backend. If moving the secrets fails, they stay in their old
   * backend, and a second call moves them.
   */
  async setBackend(backend: Exclude<LoginBackend, "memory">): Promise<LoginList> {
    const list = await this.logins.setBackend(backend);
    const leftBehindSecrets = await this.secrets.setBackend(backend);
    return { ...list, ...(leftBehindSecrets !== undefined && { leftBehindSecrets }) };
  }

  /** Reads the logins again, because another process may have changed them. Does nothing before their first use. */
  async reload(): Promise<void> {
    await this.#logins?.reload();
  }

  async close(): Promise<void> {
    await this.#logins?.close();
  }

  get #loginStore(): LoginStore {
    const { state, keyring, emit } = this.#options;
    return (this.#openedLoginStore ??= new LoginStore({ file: state.loginFile, keyring, emit }));
  }
}
