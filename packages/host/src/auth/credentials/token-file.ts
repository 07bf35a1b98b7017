/** A bearer token in a file that another program writes. If the file has changed, the next request reads it again. */
import { statSync } from "node:fs";
import { HostError } from "@plugboard/contracts";
import type { AuthRefusal } from "@plugboard/mcp";
import { validateHeader } from "@plugboard/config";
import { noHeaders } from "./credential-source.ts";
import type { CredentialSource, HeaderFields } from "./credential-source.ts";
import { WatchedSecretFile } from "./watched-secret-file.ts";
import type { FileWatcher } from "./watched-secret-file.ts";

export class TokenFile implements CredentialSource {
  readonly key: string;
  readonly #server: string;
  readonly #file: WatchedSecretFile;
  /** The fingerprint of the file when the token was read. */
  #fingerprint = "";
  #headers: HeaderFields = noHeaders();
  #token = "";

  constructor(server: string, file: string, watch: FileWatcher) {
    this.key = `token file ${file}`;
    this.#server = server;
    this.#file = new WatchedSecretFile(file, watch);
  }

  headers(): HeaderFields | Promise<HeaderFields> {
    const isCurrent = this.#token !== "" && fingerprint(this.#file.file) === this.#fingerprint;
    return isCurrent ? this.#headers : this.#read();
  }

  /** Reads the file even if its fingerprint is the same, because two quick changes can have the same fingerprint. */
  async onUnauthorized({ status }: AuthRefusal, sent: HeaderFields): Promise<boolean> {
    const currentHeaders = await this.#read();
    if (status === 401 && currentHeaders["authorization"] !== sent["authorization"]) return true;
    const problem =
      status === 403 ? "does not allow this request" : "was refused; it is read again when the file changes";
    throw this.#authRequired(`the token in ${this.#file.file} ${problem}`);
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
    const fingerprintBefore = fingerprint(file);
    const token = await this.#file.read();
    if (typeof token !== "string") throw this.#authRequired(`the token file ${file} can't be read: ${token.failure}`);
    if (token === "") throw this.#authRequired(`the token file ${file} is empty`);
    const headerProblem = validateHeader("authorization", `Bearer ${token}`);
    if (headerProblem !== undefined) throw this.#authRequired(`the content of ${file} can't be sent in a header`);
    this.#fingerprint = fingerprintBefore;
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

/** Changes when the file changes. Synchronous, because it runs before each request and takes microseconds. */
function fingerprint(file: string): string {
  const stats = statSync(file, { throwIfNoEntry: false, bigint: true });
  return stats ? `${stats.ino} ${stats.size} ${stats.mtimeNs}` : "";
}
