/**
 * Stores the last known catalog and traits of each server, so that the next host starts with them. The traits are its
 * era, and whether it asks questions without naming the call.
 */
import { join } from "node:path";
import { HostError, isJsonObject, systemClock } from "@plugboard/contracts";
import type { Era, Json, Clock } from "@plugboard/contracts";
import { decodeSnapshot, encodeSnapshot, REVISIONS } from "@plugboard/mcp";
import type { CatalogSnapshot, CatalogStore, ConnectionOptions } from "@plugboard/mcp";
import { canonicalDigest, DiskCache } from "@plugboard/store";

export interface CatalogFilesOptions {
  /** Called when the disk fails. Not called again until a write succeeds. */
  readonly onFailed: (error: HostError) => void;
  readonly clock?: Clock | undefined;
  readonly maxFiles?: number | undefined;
}

type EraStore = ConnectionOptions["eraStore"];

const MAX_FILES = 500;
const MAX_BYTES = 8 * 1024 * 1024;
/** A digest in hexadecimal digits. */
const KEY = /^[0-9a-f]{16,128}$/;

export class CatalogFiles {
  readonly #catalogs: DiskCache;
  /** The key of the last catalog for each definition as written in the config, with unresolved secrets. */
  readonly #keys: DiskCache;
  readonly #eras: DiskCache;

  constructor(stateFolder: string, { onFailed, clock = systemClock, maxFiles = MAX_FILES }: CatalogFilesOptions) {
    const options = { onFailed, clock, maxFiles, maxBytes: MAX_BYTES };
    this.#catalogs = new DiskCache(join(stateFolder, "catalog"), options);
    this.#keys = new DiskCache(join(stateFolder, "catalog-keys"), options);
    this.#eras = new DiskCache(join(stateFolder, "eras"), options);
  }

  /**
   * `key` is the digest of a resolved definition. `definition` is the digest of the same definition as written in the
   * config. With it, `lastCatalog` finds the catalog even if the secrets of the definition are unknown.
   */
  catalog(key: string, definition?: string): CatalogStore {
    const name = fileName(key);
    const ofDefinition = definition === undefined ? undefined : fileName(definition);
    return {
      get: () => this.#read(name),
      set: (snapshot) => {
        this.#catalogs.set(name, () => encodeSnapshot(snapshot));
        if (ofDefinition !== undefined)
          this.#keys.set(ofDefinition, () => `${JSON.stringify({ version: 1, catalog: key })}\n`);
      },
      storedAt: () => this.#catalogs.timeOf(name),
    };
  }

  /**
   * Returns the catalog that was stored last. `definition` is the digest of the definition as written in the config.
   */
  lastCatalog(definition: string): CatalogSnapshot | undefined {
    const stored = parseJson(this.#keys.get(fileName(definition)) ?? "null");
    const key = isJsonObject(stored) && stored["version"] === 1 ? stored["catalog"] : undefined;
    return typeof key === "string" && KEY.test(key) ? this.#read(fileName(key)) : undefined;
  }

  /** `key` is the URL of the server, or the digest of its definition if it has no URL. */
  era(key: string): EraStore {
    const name = `${canonicalDigest(key)}.json`;
    const read = () => readTraits(this.#eras.get(name));
    // JSON.stringify omits traits that are undefined.
    const write = (traits: Traits) => this.#eras.set(name, () => `${JSON.stringify({ version: 1, ...traits })}\n`);
    return {
      get: () => read().era,
      set: (era) => {
        const { era: stored, asks } = read();
        if (stored !== era) write({ era, asks });
      },
      hasAskedWithoutCall: () => read().asks ?? false,
      rememberAskedWithoutCall: () => write({ era: read().era, asks: true }),
    };
  }

  /** Writes pending changes. Await it before the process exits. */
  async flush(): Promise<void> {
    await Promise.all([this.#catalogs.flush(), this.#keys.flush(), this.#eras.flush()]);
  }

  #read(name: string): CatalogSnapshot | undefined {
    const text = this.#catalogs.get(name);
    return text === undefined ? undefined : decodeSnapshot(text);
  }
}

function fileName(key: string): string {
  if (!KEY.test(key)) throw new HostError("INTERNAL", { reason: "the key of a catalog must be a digest" });
  return `${key}.json`;
}

interface Traits {
  readonly era?: Era | undefined;
  /** True if the server has asked a question without naming its call. */
  readonly asks?: true | undefined;
}

function readTraits(text: string | undefined): Traits {
  const stored = parseJson(text ?? "null");
  if (!isJsonObject(stored) || stored["version"] !== 1) return {};
  const { era, asks } = stored;
  return { era: REVISIONS.find((revision) => revision.era === era)?.era, asks: asks === true || undefined };
}

function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
