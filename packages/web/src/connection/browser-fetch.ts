/** Sends the requests of `remote` with the browser's `fetch`. */
import { PAGE_KEY_HEADER } from "@plugboard/contracts";
import type { FetchLike } from "@plugboard/remote";

/** `key`: the key of the signed-in page. The browser adds the cookie. */
export function browserFetch(key: string): FetchLike {
  return async (path, { method, headers, body, signal }) => {
    const response = await fetch(path, {
      method,
      headers: { ...headers, [PAGE_KEY_HEADER]: key },
      credentials: "same-origin",
      cache: "no-store",
      ...(body !== undefined && { body }),
      ...(signal && { signal }),
    });
    return { status: response.status, body: readChunks(response.body) };
  };
}

/** Not all browsers can iterate a stream. */
async function* readChunks(stream: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array> {
  if (!stream) return;
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    reader.releaseLock();
  }
}
