/** Credentials as requests to one HTTP server carry them: asked for each, laid over the other headers, and told of a refusal. */
import type { WireHeaders } from "../wire/transport.ts";
import type { Credentials } from "./credentials.ts";
import { layHeaders } from "./http-headers.ts";
import { authRefusal, retryFor } from "./http-refusal.ts";
import type { Retry } from "./http-refusal.ts";
import type { HttpResponse } from "./http-response.ts";

interface Laid {
  readonly lower: WireHeaders;
  readonly upper: WireHeaders;
  readonly headers: WireHeaders;
}

export class HttpCredentials {
  readonly #credentials: Credentials;
  readonly #origin: string;
  #last: Laid | undefined;

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
  lay(lower: WireHeaders, upper: WireHeaders): WireHeaders {
    const last = this.#last;
    if (last?.lower === lower && last.upper === upper) return last.headers;
    const headers = layHeaders(lower, upper);
    this.#last = { lower, upper, headers };
    return headers;
  }

  /**
   * Whether there is something else to send; nothing if it is not for its credentials that the request was refused,
   * or for what was tried before.
   */
  refused(response: HttpResponse, sent: WireHeaders, tried: Set<Retry>): Promise<boolean> | undefined {
    const refusal = authRefusal(response);
    if (!refusal || tried.has(retryFor(refusal))) return undefined;
    tried.add(retryFor(refusal));
    void response.discard();
    return this.#credentials.refused(refusal, sent);
  }
}
