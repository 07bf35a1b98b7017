/** The context that every step of a login gets. */
import type { Clock } from "@plugboard/contracts";

export interface OAuthContext {
  /** The server's id in error messages. */
  readonly server: string;
  /** Limited in size, time and allowed addresses: see `guarded-fetch.ts`. */
  readonly fetch: OAuthFetch;
  readonly clock: Clock;
  readonly signal?: AbortSignal;
}

/** The signature that `oauth4webapi` calls. */
export type OAuthFetch = (url: string, init: OAuthFetchInit) => Promise<Response>;

export interface OAuthFetchInit {
  readonly method: string;
  readonly headers: { readonly [name: string]: string };
  readonly body?: unknown;
  readonly redirect?: "manual";
  readonly signal?: AbortSignal;
}
