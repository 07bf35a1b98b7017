/** Sends one guarded request and reads the whole response. The size limit applies after decompression. */
import { HostError, parseUrl } from "@plugboard/contracts";
import { decodeBody, DecodeError } from "../../transport/http/decode-body.ts";
import { GrowingBuffer } from "../../transport/messages/growing-buffer.ts";
import { networkReason } from "../../transport/http/network-failure.ts";
import { mergeHeaders } from "../../transport/http/http-headers.ts";
import { HttpResponse } from "../../transport/http/http-response.ts";
import type { WireHeaders } from "../../wire/transport.ts";
import { describeUrl } from "./address-guard.ts";
import { openGuardedRoute } from "./guarded-route.ts";
import type { GuardedRouteOptions } from "./guarded-route.ts";

export interface GuardedRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: WireHeaders;
  readonly body: string | undefined;
}

const MAX_BODY_BYTES = 1024 * 1024;
const REDIRECT_STATUSES: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const NULL_BODY_STATUSES: ReadonlySet<number> = new Set([204, 205, 304]);
/** Headers about the connection or the encoding, and cookies, which are not stored. */
const DROPPED_HEADERS = ["connection", "content-encoding", "content-length", "set-cookie", "transfer-encoding"];

/** Returns the response, or the target of a redirect. */
export async function sendGuardedRequest(
  request: GuardedRequest,
  options: GuardedRouteOptions,
  signal: AbortSignal,
): Promise<Response | URL> {
  const requestFailed = (problem: string, cause?: unknown) =>
    options.errors.failed(`${describeUrl(request.url)} ${problem}`, cause);
  try {
    return await dispatchAndRead(request, options, signal, requestFailed);
  } catch (thrown) {
    if (thrown instanceof HostError) throw thrown;
    if (thrown instanceof DecodeError) throw requestFailed(`can't be read: ${thrown.message}`);
    throw requestFailed(`did not respond: ${networkReason(thrown)}`, thrown);
  }
}

async function dispatchAndRead(
  { url, method, headers, body }: GuardedRequest,
  options: GuardedRouteOptions,
  signal: AbortSignal,
  requestFailed: (problem: string) => HostError,
): Promise<Response | URL> {
  const { dispatcher, origin, prefix, headers: routeHeaders } = await openGuardedRoute(url, options, signal);
  const response = new HttpResponse();
  const abort = () => response.abort();
  try {
    signal.throwIfAborted();
    signal.addEventListener("abort", abort);
    const path = prefix + url.pathname + url.search;
    const sent = { origin, path, method, headers: mergeHeaders(headers, routeHeaders), body: body ?? null };
    dispatcher.dispatch(sent, response);
    await response.head;
    const location = REDIRECT_STATUSES.has(response.status) ? response.header("location") : undefined;
    if (location !== undefined) {
      const redirectUrl = parseUrl(location, url);
      if (redirectUrl) return redirectUrl;
      throw requestFailed("redirects to an invalid URL");
    }
    if (response.status > 599) throw requestFailed(`answered with the invalid status ${response.status}`);
    const bytes = new GrowingBuffer(MAX_BODY_BYTES);
    await decodeBody(response, (chunk) => {
      if (!bytes.append(chunk)) throw requestFailed(`sends more than ${MAX_BODY_BYTES} bytes`);
    });
    return toFetchResponse(response, bytes.take());
  } finally {
    signal.removeEventListener("abort", abort);
    void dispatcher.destroy();
  }
}

function toFetchResponse({ status, headers: received }: HttpResponse, bytes: Buffer): Response {
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(received)) {
    if (DROPPED_HEADERS.includes(name)) continue;
    for (const value of [values].flat()) appendIfValid(headers, name, value);
  }
  return new Response(NULL_BODY_STATUSES.has(status) ? null : new Uint8Array(bytes), { status, headers });
}

/** Skips headers that `Headers` does not accept. */
function appendIfValid(headers: Headers, name: string, value: string): void {
  try {
    headers.append(name, value);
  } catch {
    // Not a valid header.
  }
}
