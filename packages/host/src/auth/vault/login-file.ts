/**
 * `mcp-auth.json`: either the logins themselves, for their owner alone, or the
 * logins sealed and the name of the key. Which of the two is a matter of the file:
 * whoever has seen one does not write the other by mistake.
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
  readonly sealed: string;
}

export type LoginFileContent = PlainLogins | EncryptedLogins;

export const LOGIN_FILE_VERSION = 1;

/** Stands for an absent file. */
const ABSENT: LoginFileContent = { servers: {} };

export class LoginFile {
  readonly path: string;
  readonly #file: StateFile<LoginFileContent>;
  readonly #onReadableByOthers: (error: HostError) => void;

  constructor(path: string, onExposed: (error: HostError) => void) {
    this.path = path;
    this.#onReadableByOthers = onExposed;
    this.#file = new StateFile(path, { initial: ABSENT, parse: parseContent });
  }

  /** Nothing if it isn't there. */
  async read(): Promise<LoginFileContent | undefined> {
    const mode = await restrictPermissions(this.path);
    if (mode !== undefined) this.#onReadableByOthers(new HostError("STORE_EXPOSED", { file: this.path, mode }));
    return undefinedIfAbsent(await this.#file.read());
  }

  /**
   * `change` gets what is there now. False, and nothing is done, if that is not of the kind that was seen: somebody
   * has made the file meanwhile, or moved the logins to another key.
   */
  async rewriteIfSameKind(
    expected: LoginFileContent | undefined,
    change: (now: LoginFileContent | undefined) => LoginFileContent | undefined | Promise<LoginFileContent | undefined>,
  ): Promise<boolean> {
    let same = false;
    await this.#file.update(async (current) => {
      const now = undefinedIfAbsent(current);
      same = kindOf(now) === kindOf(expected);
      return same ? ((await change(now)) ?? current) : current;
    });
    return same;
  }

  /** A copy beside it that nothing reads, for whoever finds the key again. */
  async backUp(at: number): Promise<string> {
    const name = `${this.path}.${new Date(at).toISOString().replaceAll(":", "-")}`;
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

function kindOf(content: LoginFileContent | undefined): string {
  if (!content) return "none";
  return isEncrypted(content) ? `key ${content.key_id}` : "plain";
}

/** The mode that it had, if that had to be changed. */
async function restrictPermissions(path: string): Promise<string | undefined> {
  if (process.platform === "win32") return undefined;
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  // What can't be opened is told by whoever reads it.
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => undefined);
  if (!file) return undefined;
  try {
    const stat = await file.stat();
    const mode = stat.mode & 0o777;
    if (!stat.isFile() || (mode & 0o077) === 0) return undefined;
    await file.chmod(0o600);
    return `0${mode.toString(8).padStart(3, "0")}`;
  } catch (error) {
    const reason = `others may read it, and it can't be closed to them (${ioErrorCode(error)})`;
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
