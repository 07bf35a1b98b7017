/**
 * Texts on disk that could be had again: read at once, written later, the oldest
 * forgotten. What can't be read is nothing, and a disk that fails fails nobody:
 * it is told once, and again only after it has worked in between.
 */
import { randomBytes } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { HostError } from "@plugboard/contracts";
import type { Clock } from "@plugboard/mcp";
import { ioCode, unwritable } from "./unwritable.ts";
import { writeAtomically } from "./write-atomically.ts";
import { makeFolder } from "./make-folder.ts";

export interface KeptTextsOptions {
  readonly onFailed: (error: HostError) => void;
  readonly clock: Clock;
  readonly maxFiles: number;
  readonly maxBytes: number;
}

const WRITE_AFTER_MS = 100;
const OLD_DRAFT_MS = 3_600_000;

export class KeptTexts {
  readonly #folder: string;
  readonly #options: KeptTextsOptions;
  readonly #unwritten = new Map<string, () => string>();
  #cancelWriting: (() => void) | undefined;
  #writing: Promise<void> = Promise.resolve();
  #failing = false;

  constructor(folder: string, options: KeptTextsOptions) {
    this.#folder = folder;
    this.#options = options;
  }

  /** Names become file names; whoever makes them sees to it that they can. */
  get(name: string): string | undefined {
    const unwritten = this.#unwritten.get(name);
    if (unwritten) return unwritten();
    try {
      return this.#read(join(this.#folder, name));
    } catch (error) {
      if (ioCode(error) !== "ENOENT") this.#tell(unreadable(join(this.#folder, name), error));
      return undefined;
    }
  }

  /** Returns at once; `text` is made when it is written. */
  set(name: string, text: () => string): void {
    this.#unwritten.set(name, text);
    const [oldest] = this.#unwritten.keys();
    if (oldest !== undefined && this.#unwritten.size > this.#options.maxFiles) this.#unwritten.delete(oldest);
    this.#cancelWriting ??= this.#options.clock.after(WRITE_AFTER_MS, () => void this.flush(), true);
  }

  /** Everything that was set is written, or has failed. */
  flush(): Promise<void> {
    this.#cancelWriting?.();
    this.#cancelWriting = undefined;
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  #read(file: string): string | undefined {
    // Windows has no such flags; there they are nothing.
    const opened = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const { size } = fstatSync(opened);
      return size > this.#options.maxBytes ? undefined : readFileSync(opened, "utf8");
    } finally {
      closeSync(opened);
    }
  }

  async #write(): Promise<void> {
    if (this.#unwritten.size === 0) return;
    try {
      await makeFolder(this.#folder);
      for (const [name, text] of this.#unwritten) {
        await this.#writeOne(join(this.#folder, name), text());
        if (this.#unwritten.get(name) === text) this.#unwritten.delete(name);
      }
      await this.#prune();
      this.#failing = false;
    } catch (error) {
      // What is not written stays known here, and is tried again with the next.
      this.#tell(error instanceof HostError ? error : unwritable(this.#folder, error));
    }
  }

  async #writeOne(file: string, text: string): Promise<void> {
    // What is too large to keep must not leave something older in its place.
    if (Buffer.byteLength(text) > this.#options.maxBytes) return rm(file, { force: true });
    await writeAtomically(file, text, { draft: `.${randomBytes(6).toString("hex")}` });
  }

  async #prune(): Promise<void> {
    const names = await readdir(this.#folder);
    const isDraft = (name: string) => name.endsWith(".new");
    if (names.length <= this.#options.maxFiles && !names.some(isDraft)) return;
    const files = await Promise.all(names.map((name) => this.#age(name)));
    const drafts = files.filter(({ name, age }) => isDraft(name) && age > OLD_DRAFT_MS);
    const kept = files.filter(({ name }) => !isDraft(name)).toSorted((a, b) => a.age - b.age);
    for (const { name } of [...drafts, ...kept.slice(this.#options.maxFiles)]) {
      await rm(join(this.#folder, name), { force: true });
    }
  }

  /** Another process may have removed it meanwhile. */
  async #age(name: string): Promise<{ readonly name: string; readonly age: number }> {
    const found = await stat(join(this.#folder, name)).catch(() => undefined);
    return { name, age: this.#options.clock.now() - (found?.mtimeMs ?? 0) };
  }

  #tell(error: HostError): void {
    if (this.#failing) return;
    this.#failing = true;
    this.#options.onFailed(error);
  }
}

function unreadable(file: string, error: unknown): HostError {
  return new HostError("STORE_UNREADABLE", { file, what: `it can't be read (${ioCode(error)})` }, { cause: error });
}
