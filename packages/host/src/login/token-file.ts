/** A token that something else keeps in a file. Looked at before each request, and read again when it is another file. */
import { statSync } from "node:fs";
import { HostError } from "@plugboard/contracts";
import type { AuthRefusal } from "@plugboard/mcp";
import { wrongHeader } from "../config/wrong-header.ts";
import { noHeaders } from "./access.ts";
import type { Access } from "./access.ts";
import { WatchedToken } from "./watched-token.ts";
import type { Watch } from "./watched-token.ts";

type Headers = { readonly [name: string]: string };

export class TokenFile implements Access {
  readonly key: string;
  readonly #server: string;
  readonly #source: WatchedToken;
  #seen = "";
  #headers: Headers = noHeaders();
  #token = "";

  constructor(server: string, file: string, watch: Watch) {
    this.key = `token file ${file}`;
    this.#server = server;
    this.#source = new WatchedToken(file, watch);
  }

  headers(): Headers | Promise<Headers> {
    return fingerprint(this.#source.file) === this.#seen && this.#token !== "" ? this.#headers : this.#read();
  }

  /** It may have been written so quickly that it looks the same. */
  async refused({ status }: AuthRefusal, sent: Headers): Promise<boolean> {
    const now = await this.#read();
    if (status === 401 && now["authorization"] !== sent["authorization"]) return true;
    const what = status === 403 ? "does not allow that" : "was refused; it is read again when the file changes";
    throw this.#wanted(`the token in ${this.#source.file} ${what}`);
  }

  secrets(): readonly string[] {
    return this.#token === "" ? [] : [this.#token];
  }

  status(): undefined {
    return undefined;
  }

  onChanged(listener: () => void): () => void {
    return this.#source.onChanged(listener);
  }

  async #read(): Promise<Headers> {
    const { file } = this.#source;
    const seen = fingerprint(file);
    const token = await this.#source.read();
    if (typeof token !== "string") throw this.#wanted(`the token in ${file} can't be had: ${token.why}`);
    if (token === "") throw this.#wanted(`the file ${file}, which should hold its token, is empty`);
    const wrong = wrongHeader("authorization", `Bearer ${token}`);
    if (wrong !== undefined) throw this.#wanted(`what is in ${file} can't be sent as a token`);
    this.#seen = seen;
    if (token !== this.#token) {
      this.#token = token;
      this.#headers = { authorization: `Bearer ${token}` };
    }
    return this.#headers;
  }

  /** Nothing is asked of the server until there is another token to ask it with. */
  #wanted(why: string): HostError {
    this.#source.await();
    return new HostError("AUTH_REQUIRED", { server: this.#server, why, configured: true });
  }
}

/** Synchronous: it is asked before every request, and takes microseconds. */
function fingerprint(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false, bigint: true });
  return found ? `${found.ino} ${found.size} ${found.mtimeNs}` : "";
}
