/**
 * Reads and writes `mcp-auth.json`. The file contains plain logins, or encrypted logins and the id of their key. Only
 * its owner may read it. A file that another process has encrypted or decrypted in the meantime is not overwritten.
 */
import { constants } from "node:fs";
import { lstat, open, readFile } from "node:fs/promises";
import { HostError } from "@plugboard/contracts";
import type { JsonObject } from "@plugboard/contracts";
import { StateFile } from "../../store/state-file.ts";
import { ioErrorCode, unwritableError } from "../../store/io-error.ts";
import { writeAtomically } from "../../store/write-atomically.ts";
import { isLoginEntries } from "./login-record.ts";
import type { LoginEntries } from "./login-record.ts";

interface PlainLogins {
  readonly servers: LoginEntries;
}

export interface EncryptedLogins {
  readonly backend: "keyring";
  readonly key_id: string;
  /** The encrypted LoginEntries as base64. */
  readonly sealed: string;
}

export type LoginFileContent = PlainLogins | EncryptedLogins;

export const LOGIN_FILE_VERSION = 1;

/** The content that the state file has if it does not exist. Recognised by identity. */
const ABSENT: LoginFileContent = { servers: {} };

export class LoginFile {
  readonly path: string;
  readonly #file: StateFile<LoginFileContent>;
  readonly #onExposed: (error: HostError) => void;

  /** `onExposed` is called when other users of the machine could read the file. */
  constructor(path: string, onExposed: (error: HostError) => void) {
    this.path = path;
    this.#onExposed = onExposed;
    this.#file = new StateFile(path, { initial: ABSENT, parse: parseContent });
  }

  /** Returns undefined if the file does not exist. */
  async read(): Promise<LoginFileContent | undefined> {
    const mode = await restrictPermissions(this.path);
    if (mode !== undefined) this.#onExposed(new HostError("STORE_EXPOSED", { file: this.path, mode }));
    return undefinedIfAbsent(await this.#file.read());
  }

  /**
   * Calls `change` with the current content, writes the result and returns true. Returns false without writing if
   * another process has created, encrypted or decrypted the file, or changed its key, since `expected` was read.
   */
  async rewriteIfSameKind(
    expected: LoginFileContent | undefined,
    change: (
      latest: LoginFileContent | undefined,
    ) => LoginFileContent | undefined | Promise<LoginFileContent | undefined>,
  ): Promise<boolean> {
    let isSameKind = false;
    await this.#file.update(async (current) => {
      const now = undefinedIfAbsent(current);
      isSameKind = kindOf(now) === kindOf(expected);
      return isSameKind ? ((await change(now)) ?? current) : current;
    });
    return isSameKind;
  }

  /** Copies the file and returns the path of the copy. A user who finds the key again can restore the copy. */
  async backUp(now: number): Promise<string> {
    const name = `${this.path}.${new Date(now).toISOString().replaceAll(":", "-")}`;
    let copy = name;
    for (let number = 2; await exists(copy); number++) copy = `${name}-${number}`;
    let content: Buffer;
    try {
      content = await readFile(this.path);
    } catch (error) {
      throw unwritableError(copy, error);
    }
    await writeAtomically(copy, content);
    return copy;
  }
}

export function isEncrypted(content: LoginFileContent): content is EncryptedLogins {
  return "sealed" in content;
}

function parseContent({ backend, key_id, sealed, servers }: JsonObject): LoginFileContent | undefined {
  if (backend === undefined) return isLoginEntries(servers) ? { servers } : undefined;
  if (backend !== "keyring" || typeof key_id !== "string" || typeof sealed !== "string") return undefined;
  return { backend, key_id, sealed };
}

function undefinedIfAbsent(content: LoginFileContent): LoginFileContent | undefined {
  return content === ABSENT ? undefined : content;
}

/** Returns equal texts for contents that the same key decrypts, and for contents that are both plain or both absent. */
function kindOf(content: LoginFileContent | undefined): string {
  if (!content) return "none";
  return isEncrypted(content) ? `key ${content.key_id}` : "plain";
}

/** Makes the file readable only by its owner. Returns the old mode if it had to be changed. */
async function restrictPermissions(path: string): Promise<string | undefined> {
  if (process.platform === "win32") return undefined;
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  // If the file can't be opened, reading it reports the error.
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => undefined);
  if (!file) return undefined;
  try {
    const stat = await file.stat();
    const mode = stat.mode & 0o777;
    if (!stat.isFile() || (mode & 0o077) === 0) return undefined;
    await file.chmod(0o600);
    return `0${mode.toString(8).padStart(3, "0")}`;
  } catch (error) {
    const reason = `other users can read it, and its permissions can't be changed (${ioErrorCode(error)})`;
    throw new HostError("STORE_UNREADABLE", { file: path, reason }, { cause: error });
  } finally {
    await file.close();
  }
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
