/** What servers offered when they were last seen, and which era they spoke, for the next start. A file for each. */
import { join } from "node:path";
import { HostError, isJsonObject } from "@plugboard/contracts";
import type { Era, Json } from "@plugboard/contracts";
import { decodeSnapshot, encodeSnapshot, systemClock } from "@plugboard/mcp";
import type { CatalogStore, Clock, ConnectionOptions } from "@plugboard/mcp";
import { canonicalDigest } from "../lib/canonical-digest.ts";
import { DiskCache } from "./disk-cache.ts";

export interface CatalogFilesOptions {
  /** The disk fails. No call does, and it is not said again until it has worked. */
  readonly onFailed: (error: HostError) => void;
  readonly clock?: Clock | undefined;
  readonly maxFiles?: number | undefined;
}

type EraStore = ConnectionOptions["eraStore"];

const MAX_FILES = 500;
const MAX_BYTES = 8 * 1024 * 1024;
const KEY = /^[0-9a-f]{16,128}$/;

export class CatalogFiles {
  readonly #catalogs: DiskCache;
  readonly #eras: DiskCache;

  constructor(stateFolder: string, { onFailed, clock = systemClock, maxFiles = MAX_FILES }: CatalogFilesOptions) {
    const options = { onFailed, clock, maxFiles, maxBytes: MAX_BYTES };
    this.#catalogs = new DiskCache(join(stateFolder, "catalog"), options);
    this.#eras = new DiskCache(join(stateFolder, "eras"), options);
  }

  /** By the key of a definition, a digest in hex. */
  catalog(key: string): CatalogStore {
    if (!KEY.test(key)) throw new HostError("INTERNAL", { reason: "the key of a catalog is not a digest" });
    const name = `${key}.json`;
    return {
      get: () => {
        const text = this.#catalogs.get(name);
        return text === undefined ? undefined : decodeSnapshot(text);
      },
      set: (snapshot) => this.#catalogs.set(name, () => encodeSnapshot(snapshot)),
    };
  }

  /** By whatever the era belongs to: the URL of a server that has one, else the key of its definition. */
  era(key: string): EraStore {
    const name = `${canonicalDigest(key)}.json`;
    const get = () => readEra(this.#eras.get(name));
    return {
      get,
      set: (era) => {
        // JSON omits an undefined era, so the file then records no era.
        if (get() !== era) this.#eras.set(name, () => `${JSON.stringify({ version: 1, era })}\n`);
      },
    };
  }

  /** To be awaited at the end. */
  async flush(): Promise<void> {
    await Promise.all([this.#catalogs.flush(), this.#eras.flush()]);
  }
}

function readEra(text: string | undefined): Era | undefined {
  const saved = parse(text ?? "null");
  const era = isJsonObject(saved) && saved["version"] === 1 ? saved["era"] : undefined;
  return era === "legacy" || era === "modern" ? era : undefined;
}

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
