/** One request of a login and its answer, which is read to the end and bounded by what it decodes to. */
import { HostError, parseUrl } from "@plugboard/contracts";
import { decodeBody, Undecodable } from "../transport/decode-body.ts";
import { GrowingBuffer } from "../transport/growing-buffer.ts";
import { networkReason } from "../transport/http-failure.ts";
import { mergeHeaders } from "../transport/http-headers.ts";
import { HttpResponse } from "../transport/http-response.ts";
import type { WireHeaders } from "../wire/transport.ts";
import { place } from "./address-guard.ts";
import { openLoginRoute } from "./login-route.ts";
import type { LoginRouteOptions } from "./login-route.ts";

export interface GuardedRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: WireHeaders;
  readonly body: string | undefined;
}

const LIMIT_BYTES = 1024 * 1024;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);
/** What was of the connection or of the body as it came, and cookies, which are not kept. */
const NOT_PASSED_ON = ["connection", "content-encoding", "content-length", "set-cookie", "transfer-encoding"];

/** The answer, or where it says to ask instead. */
export async function sendGuarded(
  request: GuardedRequest,
  options: LoginRouteOptions,
  signal: AbortSignal,
): Promise<Response | URL> {
  const fail = (what: string, cause?: unknown) =>
    new HostError("LOGIN_FAILED", { server: options.server, what: `${place(request.url)} ${what}` }, { cause });
  try {
    return await exchange(request, options, signal, fail);
  } catch (thrown) {
    if (thrown instanceof HostError) throw thrown;
    if (thrown instanceof Undecodable) throw fail(`can't be read: ${thrown.message}`);
    throw fail(`gave no answer: ${networkReason(thrown)}`, thrown);
  }
}

async function exchange(
  { url, method, headers, body }: GuardedRequest,
  options: LoginRouteOptions,
  signal: AbortSignal,
  fail: (what: string) => HostError,
): Promise<Response | URL> {
  const { dispatcher, origin, prefix, headers: also } = await openLoginRoute(url, options, signal);
  const response = new HttpResponse();
  const stop = () => response.abort();
  try {
    signal.throwIfAborted();
    signal.addEventListener("abort", stop);
    const path = prefix + url.pathname + url.search;
    const sent = { origin, path, method, headers: mergeHeaders(headers, also), body: body ?? null };
    dispatcher.dispatch(sent, response);
    await response.head;
    const location = REDIRECTS.has(response.status) ? response.header("location") : undefined;
    if (location !== undefined) {
      const there = parseUrl(location, url);
      if (there) return there;
      throw fail("redirects to what is no URL");
    }
    if (response.status > 599) throw fail(`answered with status ${response.status}, which there is not`);
    const bytes = new GrowingBuffer(LIMIT_BYTES);
    await decodeBody(response, (chunk) => {
      if (!bytes.append(chunk)) throw fail(`sends more than ${LIMIT_BYTES} bytes`);
    });
    return toStandard(response, bytes.take());
  } finally {
    signal.removeEventListener("abort", stop);
    void dispatcher.destroy();
  }
}

function toStandard({ status, headers: received }: HttpResponse, bytes: Buffer): Response {
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(received)) {
    if (NOT_PASSED_ON.includes(name)) continue;
    for (const value of [values].flat()) append(headers, name, value);
  }
  return new Response(BODILESS.has(status) ? null : new Uint8Array(bytes), { status, headers });
}

/** One that can't be represented is one that can't be meant. */
function append(headers: Headers, name: string, value: string): void {
  try {
    headers.append(name, value);
  } catch {
    // Left out.
  }
}
