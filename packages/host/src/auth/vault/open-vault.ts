/** Opens the vault of a file, or one in memory for a host that stores nothing on disk. */
import { HostError, systemClock } from "@plugboard/contracts";
import type { HostEventData, Clock } from "@plugboard/contracts";
import type { VaultEntries } from "./encrypt-entries.ts";
import type { Keyring } from "./keyring.ts";
import { Vault } from "./vault.ts";
import type { BackendReport, EntriesChange } from "./vault.ts";
import { VaultFile } from "./vault-file.ts";
import type { VaultKind } from "./vault-file.ts";

export interface VaultOptions {
  /** The path of the file. Without it, the entries stay in memory and end with the process. */
  readonly file: string | undefined;
  readonly keyring: Keyring;
  /** Called with `state.failed` if other users of the machine could read the file. */
  readonly emit?: ((event: HostEventData) => void) | undefined;
  readonly clock?: Clock | undefined;
}

export type OpenedVault = Pick<Vault, "exists" | "read" | "change" | "backend" | "setBackend">;

export function openVault(kind: VaultKind, { file, keyring, emit, clock = systemClock }: VaultOptions): OpenedVault {
  if (file === undefined) return new MemoryVault(kind);
  const onExposed = (error: HostError) => emit?.({ type: "state.failed", error: error.toJSON() });
  return new Vault(new VaultFile(file, kind, onExposed), keyring, () => clock.now());
}

class MemoryVault implements OpenedVault {
  readonly #kind: VaultKind;
  #entries: VaultEntries = {};

  constructor(kind: VaultKind) {
    this.#kind = kind;
  }

  async exists(): Promise<boolean> {
    return true;
  }

  async read(): Promise<VaultEntries> {
    return this.#entries;
  }

  async change(change: EntriesChange): Promise<void> {
    this.#entries = change(this.#entries);
  }

  async backend(): Promise<BackendReport> {
    return { backend: "memory" };
  }

  async setBackend(): Promise<undefined> {
    throw new HostError("STORE_UNWRITABLE", {
      file: `the file of the ${this.#kind}`,
      reason: "this host stores nothing on disk",
    });
  }
}
