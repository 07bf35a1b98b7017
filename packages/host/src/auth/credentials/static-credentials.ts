/** What a definition itself says is sent: there is nothing else to send when that is refused, only something to correct. */
import { HostError } from "@plugboard/contracts";
import type { AuthRefusal } from "@plugboard/mcp";
import { noHeaders } from "./credential-source.ts";
import type { CredentialSource } from "./credential-source.ts";

export class StaticCredentials implements CredentialSource {
  readonly key = "";
  readonly #server: string;
  /** Such as "the key of its definition". */
  readonly #description: string;

  constructor(server: string, what: string) {
    this.#server = server;
    this.#description = what;
  }

  /** They are in the definition's headers already. */
  headers() {
    return noHeaders();
  }

  onUnauthorized({ status }: AuthRefusal): Promise<boolean> {
    const reason = status === 403 ? `${this.#description} does not allow that` : `${this.#description} was refused`;
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
