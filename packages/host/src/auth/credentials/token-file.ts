/** A token that something else keeps in a file. Looked at before each request, and read again when it is another file. */
import { statSync } from "node:fs";
import { HostError } from "@plugboard/contracts";
import type { AuthRefusal } from "@plugboard/mcp";
import { validateHeader } from "../../config/entry/validate-header.ts";
import { noHeaders } from "./credential-source.ts";
import type { CredentialSource } from "./credential-source.ts";
import { WatchedSecretFile } from "./watched-secret-file.ts";
import type { FileWatcher } from "./watched-secret-file.ts";

type HeaderFields = { readonly [name: string]: string };

export class TokenFile implements CredentialSource {
  readonly key: string;
  readonly #server: string;
  readonly #file: WatchedSecretFile;
  #fingerprint = "";
  #headers: HeaderFields = noHeaders();
  #token = "";

  constructor(server: string, file: string, watch: FileWatcher) {
    this.key = `token file ${file}`;
    this.#server = server;
    this.#file = new WatchedSecretFile(file, watch);
  }

  headers(): HeaderFields | Promise<HeaderFields> {
    return fingerprint(this.#file.file) === this.#fingerprint && this.#token !== "" ? this.#headers : this.#read();
  }

  /** It may have been written so quickly that it looks the same. */
  async onUnauthorized({ status }: AuthRefusal, sent: HeaderFields): Promise<boolean> {
    const now = await this.#read();
    if (status === 401 && now["authorization"] !== sent["authorization"]) return true;
    const what = status === 403 ? "does not allow that" : "was refused; it is read again when the file changes";
    throw this.#authRequired(`the token in ${this.#file.file} ${what}`);
  }

  secrets(): readonly string[] {
    return this.#token === "" ? [] : [this.#token];
  }

  status(): undefined {
    return undefined;
  }

  onChanged(listener: () => void): () => void {
    return this.#file.onChanged(listener);
  }

  async #read(): Promise<HeaderFields> {
    const { file } = this.#file;
    const seen = fingerprint(file);
    const token = await this.#file.read();
    if (typeof token !== "string") throw this.#authRequired(`the token in ${file} can't be had: ${token.why}`);
    if (token === "") throw this.#authRequired(`the file ${file}, which should hold its token, is empty`);
    const wrong = validateHeader("authorization", `Bearer ${token}`);
    if (wrong !== undefined) throw this.#authRequired(`what is in ${file} can't be sent as a token`);
    this.#fingerprint = seen;
    if (token !== this.#token) {
      this.#token = token;
      this.#headers = { authorization: `Bearer ${token}` };
    }
    return this.#headers;
  }

  /** Nothing is asked of the server until there is another token to ask it with. */
  #authRequired(reason: string): HostError {
    this.#file.startWatching();
    return new HostError("AUTH_REQUIRED", { server: this.#server, reason, configured: true });
  }
}

/** Synchronous: it is asked before every request, and takes microseconds. */
function fingerprint(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false, bigint: true });
  return found ? `${found.ino} ${found.size} ${found.mtimeNs}` : "";
}
