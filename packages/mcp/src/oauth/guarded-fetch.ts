/**
 * The requests of a login: to find out where to log in, and to get, renew and
 * return tokens. Those who answer were named by a server and owe us nothing, so
 * answers are bounded in size and time, and `AddressGuard` says who is asked at
 * all. A request that only reads is followed where it is redirected to, each step
 * checked like the first; one that carries something is not.
 */
import { HostError, parseUrl } from "@plugboard/contracts";
import { systemClock } from "../clock.ts";
import type { Clock } from "../clock.ts";
import type { ProxyEnvironment } from "../transport/proxy-for.ts";
import { AddressGuard, place } from "./address-guard.ts";
import type { AddressGuardOptions } from "./address-guard.ts";
import { sendGuarded } from "./guarded-request.ts";
import type { GuardedRequest } from "./guarded-request.ts";
import type { LoginRouteOptions } from "./login-route.ts";
import type { OAuthFetch } from "./oauth-context.ts";
import { openConnection } from "./open-connection.ts";
import type { OpenConnection } from "./open-connection.ts";

export interface GuardedFetchOptions extends AddressGuardOptions {
  readonly clock?: Clock;
  /** Where proxies are named; ours, unless told otherwise. */
  readonly env?: ProxyEnvironment;
  readonly connect?: OpenConnection;
}

/** For all of it, wherever it is redirected to. */
const LIMIT_MS = 10_000;
const MAX_REDIRECTS = 5;

export function makeGuardedFetch(options: GuardedFetchOptions): OAuthFetch {
  const { server, clock = systemClock, env = process.env, connect = openConnection } = options;
  const way = { server, guard: new AddressGuard(options), env, connect };
  return async (text, init) => {
    const url = parseUrl(text);
    if (!url) throw new HostError("LOGIN_FAILED", { server, what: "it names something that is no URL" });
    const { method, headers } = init;
    // `oauth4webapi` sends texts and forms.
    const body = (init.body as string | URLSearchParams | null | undefined)?.toString();
    const ending = new AbortController();
    const giveUp = () => ending.abort(new HostError("CANCELLED", { reason: "the caller gave up" }));
    const cancelLimit = clock.after(LIMIT_MS, () => {
      const what = `${place(url)} did not answer in ${LIMIT_MS} ms`;
      ending.abort(new HostError("LOGIN_FAILED", { server, what }, { cause: new Error("no answer in time") }));
    });
    init.signal?.addEventListener("abort", giveUp);
    if (init.signal?.aborted) giveUp();
    try {
      return await orAborted(ending.signal, () => follow({ url, method, headers, body }, way, ending.signal));
    } finally {
      cancelLimit();
      init.signal?.removeEventListener("abort", giveUp);
    }
  };
}

async function follow(first: GuardedRequest, way: LoginRouteOptions, signal: AbortSignal): Promise<Response> {
  const { server } = way;
  const { accept = "*/*" } = first.headers;
  let request = first;
  for (let redirects = 0; ; redirects++) {
    const answer = await sendGuarded(request, way, signal);
    if (answer instanceof Response) return answer;
    const here = place(request.url);
    if (request.method !== "GET") {
      const what = `${here} passes on to ${place(answer)} what is for nobody else`;
      throw new HostError("LOGIN_UNSAFE", { server, what });
    }
    if (redirects === MAX_REDIRECTS) {
      throw new HostError("LOGIN_FAILED", { server, what: `${here} is the last of too many redirects` });
    }
    const headers = answer.origin === request.url.origin ? request.headers : { accept };
    request = { ...request, url: answer, headers };
  }
}

/** At once, whatever it waits for: to ask what a name stands for can't be broken off. */
function orAborted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason as HostError);
    if (signal.aborted) return stop();
    signal.addEventListener("abort", stop, { once: true });
    work().then(resolve, reject);
  });
}
