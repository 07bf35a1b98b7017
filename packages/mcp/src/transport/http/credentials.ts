/** What a request is sent with so that the server knows for whom it is. Made by whoever logs in; a transport only asks. */
import type { WireHeaders } from "../../wire/transport.ts";
import type { AuthRefusal } from "./http-status-error.ts";

export interface Credentials {
  /** For the next request; a promise only where they have to be fetched or renewed first. Nothing while there is no login. */
  headers(request: CredentialRequest): WireHeaders | Promise<WireHeaders>;
  /**
   * The server refused what was sent. True if there is something else to send: then the request, which
   * has not run, is sent once more, and only once; and once more if only a nonce was missing.
   */
  onUnauthorized(refusal: AuthRefusal, sent: WireHeaders): Promise<boolean>;
}

export interface CredentialRequest {
  readonly method: string;
  /** Without query and fragment. */
  readonly url: string;
}
