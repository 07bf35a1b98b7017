/**
 * The `fetch` for all requests of a login (metadata, registration, tokens and revocation) and for registries. The hosts
 * were named by a server and are not trusted. `AddressGuard` checks each host, and responses are limited in size and
 * time. GET requests follow redirects, and each step is checked. Other requests never follow redirects.
 */
import { abortable, cancelled, parseUrl, systemClock } from "@plugboard/contracts";
import type { HostError, Clock } from "@plugboard/contracts";
import type { ProxyEnvironment } from "../../transport/http/proxy-from-env.ts";
import { AddressGuard, describeUrl } from "./address-guard.ts";
import type { AddressGuardOptions } from "./address-guard.ts";
import { sendGuardedRequest } from "./guarded-request.ts";
import type { GuardedRequest } from "./guarded-request.ts";
import type { GuardedRouteOptions } from "./guarded-route.ts";
import type { OAuthFetch } from "./oauth-context.ts";
import { openConnection } from "./open-connection.ts";
import type { OpenConnection } from "./open-connection.ts";
import { loginErrors } from "./request-errors.ts";

export interface GuardedFetchOptions extends AddressGuardOptions {
  readonly clock?: Clock;
  /** The variables that name proxies. Defaults to `process.env`. */
  readonly env?: ProxyEnvironment;
  readonly connect?: OpenConnection;
  /** If true, a redirect to another origin fails with `errors.unsafe`. */
  readonly sameOriginOnly?: boolean;
}

/** Covers the whole request, including redirects. */
const TIMEOUT_MS = 10_000;
const MAX_REDIRECTS = 5;

export function createGuardedFetch(options: GuardedFetchOptions): OAuthFetch {
  const { clock = systemClock, env = process.env, connect = openConnection } = options;
  const errors = options.errors ?? loginErrors(options.server);
  const { sameOriginOnly = false } = options;
  const routeOptions = { errors, guard: new AddressGuard({ ...options, errors }), env, connect };
  return async (text, init) => {
    const url = parseUrl(text);
    if (!url) throw errors.failed("it names an invalid URL");
    const { method, headers } = init;
    // `oauth4webapi` sends strings and forms.
    const body = (init.body as string | URLSearchParams | null | undefined)?.toString();
    const abortController = new AbortController();
    const { signal } = abortController;
    const cancel = () => abortController.abort(cancelled());
    const cancelTimeout = clock.after(TIMEOUT_MS, () => {
      const reason = `${describeUrl(url)} did not answer in ${TIMEOUT_MS} ms`;
      abortController.abort(errors.failed(reason, new Error("no answer in time")));
    });
    init.signal?.addEventListener("abort", cancel);
    if (init.signal?.aborted) cancel();
    try {
      signal.throwIfAborted();
      // A DNS lookup takes no signal, so the wait is aborted here too.
      const response = followRedirects({ url, method, headers, body }, { ...routeOptions, sameOriginOnly }, signal);
      return await abortable(response, signal, () => signal.reason as HostError);
    } finally {
      cancelTimeout();
      init.signal?.removeEventListener("abort", cancel);
    }
  };
}

async function followRedirects(
  first: GuardedRequest,
  routeOptions: GuardedRouteOptions & { readonly sameOriginOnly: boolean },
  signal: AbortSignal,
): Promise<Response> {
  const { errors, sameOriginOnly } = routeOptions;
  const { accept = "*/*" } = first.headers;
  let request = first;
  for (let redirects = 0; ; redirects++) {
    const result = await sendGuardedRequest(request, routeOptions, signal);
    if (result instanceof Response) return result;
    const redirectUrl = result;
    const currentUrl = describeUrl(request.url);
    if (request.method !== "GET") {
      const reason = `${currentUrl} redirects a request with credentials to ${describeUrl(redirectUrl)}`;
      throw errors.unsafe(reason);
    }
    if (sameOriginOnly && redirectUrl.origin !== first.url.origin) {
      throw errors.unsafe(`${currentUrl} redirects to ${describeUrl(redirectUrl)}, which is another site`);
    }
    if (redirects === MAX_REDIRECTS) {
      throw errors.failed(`${currentUrl} redirects too often`);
    }
    // Sends no other headers to another origin.
    const headers = redirectUrl.origin === request.url.origin ? request.headers : { accept };
    request = { ...request, url: redirectUrl, headers };
  }
}
