/** Keeps the keys of a key ring in a file with mode 0600, which several processes share. */
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { HostError, isJsonObject } from "@plugboard/contracts";
import type { Clock, Env } from "@plugboard/contracts";
import { StateFile } from "../state/state-file.ts";
import type { StateSchema } from "../state/state-file.ts";
import { stateFolder } from "../state/state-path.ts";
import { KeyRing } from "./key-ring.ts";
import type { KeyStorage, StoredKey, StoredKeys } from "./key-ring.ts";

const SCHEMA: StateSchema<StoredKeys> = {
  initial: { keys: [] },
  parse: ({ keys }) => {
    const valid = Array.isArray(keys) ? keys.map(parseKey).filter((key) => key !== undefined) : [];
    return Array.isArray(keys) && valid.length === keys.length && valid.length > 0 ? { keys: valid } : undefined;
  },
};

/** Returns the key ring that all processes of the user share. */
export function userKeyRing(env: Env, clock: Pick<Clock, "now">): KeyRing {
  return fileKeyRing(join(stateFolder(env), "keys.json"), clock);
}

/** Processes that create the file at the same time get the same key. Throws STATE_UNSAFE if other users can read it. */
export function fileKeyRing(file: string, clock: Pick<Clock, "now">): KeyRing {
  const stateFile = new StateFile(file, SCHEMA);
  const storage: KeyStorage = {
    read: async () => {
      await checkPrivate(file);
      return stateFile.read();
    },
    update: async (change) => {
      await checkPrivate(file);
      return stateFile.update(change);
    },
  };
  return new KeyRing(storage, clock);
}

async function checkPrivate(file: string): Promise<void> {
  if (process.platform === "win32") return;
  // A file that is missing, or can't be examined, is handled when it is read.
  const stats = await lstat(file).catch(() => undefined);
  if (!stats || (stats.mode & 0o077) === 0) return;
  throw new HostError("STATE_UNSAFE", { path: file, reason: "other users can read or change it; delete it" });
}

function parseKey(value: unknown): StoredKey | undefined {
  const { id, secret, created_at } = isJsonObject(value) ? value : {};
  if (typeof id !== "string" || typeof secret !== "string" || typeof created_at !== "number") return undefined;
  if (!/^[0-9a-f]{16}$/.test(id) || Buffer.from(secret, "base64").length !== 32) return undefined;
  return { id, secret, created_at };
}
