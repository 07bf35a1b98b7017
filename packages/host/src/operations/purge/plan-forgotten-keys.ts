/** Plans to delete the keys in the keyring that encrypt the stored logins and secrets. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isJsonObject } from "@plugboard/contracts";
import { EncryptionKeys } from "../../auth/vault/encryption-keys.ts";
import type { Keyring } from "../../auth/vault/keyring.ts";
import type { PurgeStep } from "./purge-step.ts";

const FILES = { logins: "mcp-auth.json", secrets: "secrets.json" } as const;

/** Plans no step for a file that can't be read, because its key is then unknown. */
export async function planForgottenKeys(stateFolder: string, keyring: Keyring): Promise<readonly PurgeStep[]> {
  const kinds = ["logins", "secrets"] as const;
  const steps = await Promise.all(
    kinds.map(async (kind): Promise<PurgeStep[]> => {
      const id = await readKeyId(join(stateFolder, FILES[kind]));
      if (id === undefined) return [];
      const text = `delete the key of your ${kind} from the keyring`;
      return [{ kind: "forget", text, run: () => new EncryptionKeys(keyring, kind).delete(id) }];
    }),
  );
  return steps.flat();
}

async function readKeyId(file: string): Promise<string | undefined> {
  try {
    const content: unknown = JSON.parse(await readFile(file, "utf8"));
    const id = isJsonObject(content) ? content["key_id"] : undefined;
    return typeof id === "string" ? id : undefined;
  } catch {
    return undefined;
  }
}
