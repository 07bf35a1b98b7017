/** The interface through which a transport gets the credentials for its requests. The login code implements it. */
import type { WireHeaders } from "../../wire/transport.ts";
import type { AuthRefusal } from "./http-status-error.ts";

export interface Credentials {
  /**
   * Returns the headers for the next request, or no headers without a login. Returns a promise only if tokens must be
   * fetched or refreshed first.
   */
  headers(request: CredentialRequest): WireHeaders | Promise<WireHeaders>;
  /**
   * Called when the server rejects the credentials of a request. Resolves with true if the request should be sent again
   * with new credentials. A request is retried once, and once more if only a DPoP nonce was missing.
   */
  onUnauthorized(refusal: AuthRefusal, sent: WireHeaders): Promise<boolean>;
}

export interface CredentialRequest {
  readonly method: string;
  /** The URL without query and fragment. */
  readonly url: string;
}
