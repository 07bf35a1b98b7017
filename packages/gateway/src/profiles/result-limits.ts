/** How long the results for a client may be. */
import type { Caller } from "@plugboard/contracts";
import type { ResultLimits } from "./cap-result.ts";
import type { FrontView } from "./front-view.ts";

/**
 * The text of a result over stdio, if the profile sets no limit. Official clients end the connection, with all servers
 * behind it, if a line of stdio has more than 10 MiB. A text can be several times as long in JSON.
 */
const STDIO_BYTES = 1024 * 1024;
/** The highest limit that a profile can set over stdio. */
const MAX_STDIO_BYTES = 4 * 1024 * 1024;
const STDIO_MEDIA_LENGTH = 5 * 1024 * 1024;

/** Less than the longest line in `mcp/src/server-transport/line-reply.ts`, which holds the whole response. */
const STDIO_JSON_BYTES = 8.5 * 1024 * 1024;

const STDIO_LIMITS: ResultLimits = {
  maxBytes: STDIO_BYTES,
  maxMediaLength: STDIO_MEDIA_LENGTH,
  maxJsonBytes: STDIO_JSON_BYTES,
};

/** Returns undefined if there is no limit: for a client over HTTP without a limit in its profile. */
export function resultLimits({ principal }: Caller, { maxResultBytes }: FrontView): ResultLimits | undefined {
  const isStdio = principal === undefined;
  if (maxResultBytes === undefined) return isStdio ? STDIO_LIMITS : undefined;
  if (!isStdio) return { maxBytes: maxResultBytes };
  return { ...STDIO_LIMITS, maxBytes: Math.min(maxResultBytes, MAX_STDIO_BYTES) };
}
