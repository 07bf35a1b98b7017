/** Sends requests to the running host over its socket or TCP, in Node. */
export { openUpgradedStream } from "./open-upgraded-stream.ts";
export { nodeHttpFetch } from "./node-http-fetch.ts";
export type { HostAddress } from "./node-http-fetch.ts";
