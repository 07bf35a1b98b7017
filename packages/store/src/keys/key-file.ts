/** Keeps the keys of a key ring in a file with mode 0600, which several processes share. */
import { lstat } from "node:fs/promises";
import { HostError, isJsonObject } from "@plugboard/contracts";
import { StateFile } from "../state/state-file.ts";
import type { StateSchema } from "../state/state-file.ts";
import { KeyRing } from "./key-ring.ts";
import type { StoredKey, StoredKeys } from "./key-ring.ts";

const SCHEMA: StateSchema<StoredKeys> = {
  initial: { keys: [] },
  parse: ({ keys }) => {
    const valid = Array.isArray(keys) ? keys.map(parseKey).filter((key) => key !== undefined) : [];
    return Array.isArray(keys) && valid.length === keys.length && valid.length > 0 ? { keys: valid } : undefined;
  },
};

/** Processes that create the file at the same time get the same key. Throws STATE_UNSAFE if other users can read it. */
export function fileKeyRing(file: string): KeyRing {
  const stateFile = new StateFile(file, SCHEMA);
  return new KeyRing({
    read: async () => {
      await checkPrivate(file);
      return stateFile.read();
    },
    update: async (change) => {
      await checkPrivate(file);
      return stateFile.update(change);
    },
  });
}

async function checkPrivate(file: string): Promise<void> {
  if (process.platform === "win32") return;
  // A file that is missing, or can't be examined, is handled when it is read.
  const stats = await lstat(file).catch(() => undefined);
  if (!stats || (stats.mode & 0o077) === 0) return;
  throw new HostError("STATE_UNSAFE", { path: file, reason: "other users can read or change it; delete it" });
}

function parseKey(value: unknown): StoredKey | undefined {
  const { id, secret } = isJsonObject(value) ? value : {};
  if (typeof id !== "string" || typeof secret !== "string" || !/^[0-9a-f]{16}$/.test(id)) return undefined;
  return Buffer.from(secret, "base64").length === 32 ? { id, secret } : undefined;
}
