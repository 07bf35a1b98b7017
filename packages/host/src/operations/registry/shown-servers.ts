/**
 * Remembers the registry server that each caller was shown last. When the caller fills in its inputs, they belong to
 * the same content as shown, and no second request is needed.
 */
import type { RegistryServer } from "@plugboard/config/registry";
import type { RegistryPlace } from "../../offline/open-registry.ts";

interface ShownServer {
  /** The URL of the registry. */
  readonly registry: string;
  readonly server: RegistryServer;
}

export class ShownServers {
  readonly #latest = new WeakMap<object, ShownServer>();

  set(owner: object, shown: ShownServer): void {
    this.#latest.set(owner, shown);
  }

  /** Returns undefined if the caller was shown another server or version last, or if no version is given. */
  find(
    owner: object,
    { registry, name, version }: { readonly registry: string; readonly name: string; readonly version?: string },
  ): RegistryServer | undefined {
    const shown = this.#latest.get(owner);
    const isSame = shown?.registry === registry && shown.server.name === name && shown.server.version === version;
    return isSame ? shown.server : undefined;
  }
}

/** The caller of an operation on registries. */
export interface RegistryCaller {
  readonly owner: object;
  readonly place: RegistryPlace;
  readonly shown: ShownServers;
}
