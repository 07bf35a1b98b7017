/** Adds credentials to the requests of one HTTP server, and reports when the server rejects them. */
import type { WireHeaders } from "../../wire/transport.ts";
import type { Credentials } from "./credentials.ts";
import { overrideHeaders } from "./http-headers.ts";
import { readAuthRefusal, authRetryFor } from "./http-status-error.ts";
import type { AuthRetry } from "./http-status-error.ts";
import type { HttpResponse } from "./http-response.ts";

interface MergedHeaders {
  readonly base: WireHeaders;
  readonly overrides: WireHeaders;
  readonly headers: WireHeaders;
}

export class HttpCredentials {
  readonly #credentials: Credentials;
  readonly #origin: string;
  #lastMerged: MergedHeaders | undefined;

  constructor(credentials: Credentials, { origin }: URL) {
    this.#credentials = credentials;
    this.#origin = origin;
  }

  /** Returns the credential headers for a request to this path. They depend on the URL without its query. */
  headers(method: string, path: string): WireHeaders | Promise<WireHeaders> {
    const query = path.indexOf("?");
    const url = this.#origin + (query === -1 ? path : path.slice(0, query));
    return this.#credentials.headers({ method, url });
  }

  /** Merges the headers of a request. Caches the last result, because most requests have the same headers. */
  mergeInto(base: WireHeaders, overrides: WireHeaders): WireHeaders {
    const last = this.#lastMerged;
    if (last?.base === base && last.overrides === overrides) return last.headers;
    const headers = overrideHeaders(base, overrides);
    this.#lastMerged = { base, overrides, headers };
    return headers;
  }

  /**
   * Resolves with true if the request should be sent again. Returns undefined if the credentials were not rejected, or
   * if the request was already retried for the same reason.
   */
  onUnauthorized(
    response: HttpResponse,
    sent: WireHeaders,
    triedRetries: Set<AuthRetry>,
  ): Promise<boolean> | undefined {
    const refusal = readAuthRefusal(response);
    if (!refusal || triedRetries.has(authRetryFor(refusal))) return undefined;
    triedRetries.add(authRetryFor(refusal));
    void response.discard();
    return this.#credentials.onUnauthorized(refusal, sent);
  }
}
