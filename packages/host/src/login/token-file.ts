/** A token that something else keeps in a file. Looked at before each request, and read again when it is another file. */
import { statSync } from "node:fs";
import { HostError } from "@plugboard/contracts";
import type { AuthRefusal } from "@plugboard/mcp";
import { readBounded } from "../config/read-bounded.ts";
import { wrongHeader } from "../config/wrong-header.ts";
import { Listeners, noHeaders } from "./access.ts";
import type { Access } from "./access.ts";

type Headers = { readonly [name: string]: string };

/** Tells, until it is stopped, when the file may hold something else. */
export type Watch = (files: readonly string[], onChange: () => void) => { stop(): void };

const MAX_BYTES = 64 * 1024;

export class TokenFile implements Access {
  readonly key: string;
  readonly #server: string;
  readonly #file: string;
  readonly #watch: Watch;
  readonly #listeners = new Listeners();
  #watching: { stop(): void } | undefined;
  #seen = "";
  #headers: Headers = noHeaders();
  #token = "";

  constructor(server: string, file: string, watch: Watch) {
    this.key = `token file ${file}`;
    this.#server = server;
    this.#file = file;
    this.#watch = watch;
  }

  headers(): Headers | Promise<Headers> {
    return fingerprint(this.#file) === this.#seen && this.#token !== "" ? this.#headers : this.#read();
  }

  /** It may have been written so quickly that it looks the same. */
  async refused({ status }: AuthRefusal, sent: Headers): Promise<boolean> {
    const now = await this.#read();
    if (status === 401 && now["authorization"] !== sent["authorization"]) return true;
    const what = status === 403 ? "does not allow that" : "was refused; it is read again when the file changes";
    throw this.#wanted(`the token in ${this.#file} ${what}`);
  }

  secrets(): readonly string[] {
    return this.#token === "" ? [] : [this.#token];
  }

  status(): undefined {
    return undefined;
  }

  onChanged(listener: () => void): () => void {
    const stop = this.#listeners.add(listener);
    return () => {
      stop();
      if (this.#listeners.none) this.#watching?.stop();
      if (this.#listeners.none) this.#watching = undefined;
    };
  }

  async #read(): Promise<Headers> {
    const seen = fingerprint(this.#file);
    const read = await readBounded(this.#file, MAX_BYTES).catch((error: NodeJS.ErrnoException) => ({
      why: `it can't be read (${error.code ?? "unknown"})`,
    }));
    if ("why" in read) throw this.#wanted(`the token in ${this.#file} can't be had: ${read.why}`);
    const token = Buffer.from(read)
      .toString("utf8")
      .replace(/^\ufeff/, "")
      .trim();
    if (token === "") throw this.#wanted(`the file ${this.#file}, which should hold its token, is empty`);
    const wrong = wrongHeader("authorization", `Bearer ${token}`);
    if (wrong !== undefined) throw this.#wanted(`what is in ${this.#file} can't be sent as a token`);
    this.#seen = seen;
    if (token !== this.#token) {
      this.#token = token;
      this.#headers = { authorization: `Bearer ${token}` };
    }
    return this.#headers;
  }

  /** Nothing is asked of the server until there is another token to ask it with. */
  #wanted(why: string): HostError {
    this.#watching ??= this.#watch([this.#file], () => {
      this.#watching?.stop();
      this.#watching = undefined;
      this.#listeners.tell();
    });
    return new HostError("AUTH_REQUIRED", { server: this.#server, why, configured: true });
  }
}

/** Synchronous: it is asked before every request, and takes microseconds. */
function fingerprint(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false, bigint: true });
  return found ? `${found.ino} ${found.size} ${found.mtimeNs}` : "";
}
