/** What a definition itself says is sent: there is nothing else to send when that is refused, only something to correct. */
import { HostError } from "@plugboard/contracts";
import type { AuthRefusal } from "@plugboard/mcp";
import { noHeaders } from "./access.ts";
import type { Access } from "./access.ts";

export class FixedAccess implements Access {
  readonly key = "";
  readonly #server: string;
  /** Such as "the key of its definition". */
  readonly #what: string;

  constructor(server: string, what: string) {
    this.#server = server;
    this.#what = what;
  }

  /** They are in the definition's headers already. */
  headers() {
    return noHeaders();
  }

  refused({ status }: AuthRefusal): Promise<boolean> {
    const why = status === 403 ? `${this.#what} does not allow that` : `${this.#what} was refused`;
    return Promise.reject(new HostError("AUTH_REQUIRED", { server: this.#server, why, configured: true }));
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
