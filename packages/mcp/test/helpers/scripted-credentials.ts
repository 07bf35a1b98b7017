/** Credentials from a list of tokens. Each token is used until it is rejected. */
import type { AuthRefusal, CredentialRequest, Credentials } from "@plugboard/mcp";
import type { IncomingHttpHeaders, ServerResponse } from "node:http";

interface RecordedRefusal {
  readonly refusal: AuthRefusal;
  readonly sent: { readonly [name: string]: string };
}

export class ScriptedCredentials implements Credentials {
  readonly requests: CredentialRequest[] = [];
  readonly refusals: RecordedRefusal[] = [];
  readonly #tokens: string[];

  constructor(...tokens: string[]) {
    this.#tokens = tokens;
  }

  add(token: string): void {
    this.#tokens.push(token);
  }

  headers(request: CredentialRequest): RecordedRefusal["sent"] | Promise<RecordedRefusal["sent"]> {
    this.requests.push(request);
    return { authorization: `Bearer ${this.#tokens[0]}` };
  }

  /** Resolves with true if there is another token, or if the rejected one has already been replaced. */
  async onUnauthorized(refusal: AuthRefusal, sent: RecordedRefusal["sent"]): Promise<boolean> {
    this.refusals.push({ refusal, sent });
    if (sent["authorization"] !== `Bearer ${this.#tokens[0]}`) return true;
    if (this.#tokens.length < 2) return false;
    this.#tokens.shift();
    return true;
  }
}

export const CHALLENGE = 'Bearer resource_metadata="http://127.0.0.1:9/meta"';

/** Rejects a request that has none of the valid tokens. Returns true if it has rejected the request. */
export function rejectUnauthorized(
  headers: IncomingHttpHeaders,
  response: ServerResponse,
  ...validTokens: string[]
): boolean {
  if (validTokens.some((token) => headers.authorization === `Bearer ${token}`)) return false;
  response.writeHead(401, { "www-authenticate": CHALLENGE }).end();
  return true;
}

/** A promise that the test settles. */
export function deferred<T>() {
  let resolve!: (value: T) => void;
  const promise = new Promise<T>((settle) => (resolve = settle));
  return { promise, resolve };
}
