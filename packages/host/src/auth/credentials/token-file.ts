/** A bearer token in a file that another program writes. Checked before each request and read again after a change. */
import { statSync } from "node:fs";
import { HostError } from "@plugboard/contracts";
import type { AuthRefusal } from "@plugboard/mcp";
import { validateHeader } from "../../config/entry/validate-header.ts";
import { noHeaders } from "./credential-source.ts";
import type { CredentialSource, HeaderFields } from "./credential-source.ts";
import { WatchedSecretFile } from "./watched-secret-file.ts";
import type { FileWatcher } from "./watched-secret-file.ts";

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

  /** Reads the file again, because a quick change may have left its fingerprint equal. */
  async onUnauthorized({ status }: AuthRefusal, sent: HeaderFields): Promise<boolean> {
    const now = await this.#read();
    if (status === 401 && now["authorization"] !== sent["authorization"]) return true;
    const what = status === 403 ? "does not allow this request" : "was refused; it is read again when the file changes";
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
    if (typeof token !== "string") throw this.#authRequired(`the token file ${file} can't be read: ${token.failure}`);
    if (token === "") throw this.#authRequired(`the token file ${file} is empty`);
    const invalid = validateHeader("authorization", `Bearer ${token}`);
    if (invalid !== undefined) throw this.#authRequired(`the content of ${file} can't be sent in a header`);
    this.#fingerprint = seen;
    if (token !== this.#token) {
      this.#token = token;
      this.#headers = { authorization: `Bearer ${token}` };
    }
    return this.#headers;
  }

  /** Starts to watch the file, so that the connection is opened again when the file changes. */
  #authRequired(reason: string): HostError {
    this.#file.startWatching();
    return new HostError("AUTH_REQUIRED", { server: this.#server, reason, configured: true });
  }
}

/** Synchronous, because it runs before each request and takes microseconds. */
function fingerprint(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false, bigint: true });
  return found ? `${found.ino} ${found.size} ${found.mtimeNs}` : "";
}
