/** Credentials in the headers of a definition. If the server refuses them, the user has to correct the definition. */
import { HostError } from "@plugboard/contracts";
import type { AuthRefusal } from "@plugboard/mcp";
import { noHeaders } from "./credential-source.ts";
import type { CredentialSource, HeaderFields } from "./credential-source.ts";

export class StaticCredentials implements CredentialSource {
  /** Empty, because the target of the connection already contains these credentials. */
  readonly key = "";
  readonly #server: string;
  /** How an error names the credentials, such as "the key of its definition". */
  readonly #description: string;

  constructor(server: string, description: string) {
    this.#server = server;
    this.#description = description;
  }

  /** Returns no headers, because the transport already sends the headers of the definition. */
  headers(): HeaderFields {
    return noHeaders();
  }

  onUnauthorized({ status }: AuthRefusal): Promise<boolean> {
    const reason =
      status === 403 ? `${this.#description} does not allow this request` : `${this.#description} was refused`;
    return Promise.reject(new HostError("AUTH_REQUIRED", { server: this.#server, reason, configured: true }));
  }

  secrets(): readonly string[] {
    return [];
  }

  status(): undefined {
    return undefined;
  }

  onChanged(): () => void {
    return () => {};
  }
}
