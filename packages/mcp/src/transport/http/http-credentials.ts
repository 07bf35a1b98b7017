/** Credentials as requests to one HTTP server carry them: asked for each, laid over the other headers, and told of a refusal. */
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
  #last: MergedHeaders | undefined;

  constructor(credentials: Credentials, { origin }: URL) {
    this.#credentials = credentials;
    this.#origin = origin;
  }

  /** For a request to that path, whose query is nobody else's business. */
  headers(method: string, path: string): WireHeaders | Promise<WireHeaders> {
    const query = path.indexOf("?");
    const url = this.#origin + (query === -1 ? path : path.slice(0, query));
    return this.#credentials.headers({ method, url });
  }

  /** Mostly the same as the last time. */
  mergeInto(base: WireHeaders, overrides: WireHeaders): WireHeaders {
    const last = this.#last;
    if (last?.base === base && last.overrides === overrides) return last.headers;
    const headers = overrideHeaders(base, overrides);
    this.#last = { base, overrides, headers };
    return headers;
  }

  /**
   * Whether there is something else to send; nothing if it is not for its credentials that the request was refused,
   * or for what was tried before.
   */
  onUnauthorized(response: HttpResponse, sent: WireHeaders, tried: Set<AuthRetry>): Promise<boolean> | undefined {
    const refusal = readAuthRefusal(response);
    if (!refusal || tried.has(authRetryFor(refusal))) return undefined;
    tried.add(authRetryFor(refusal));
    void response.discard();
    return this.#credentials.onUnauthorized(refusal, sent);
  }
}
