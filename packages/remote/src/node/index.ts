export { openUpgradedStream } from "./open-upgraded-stream.ts";
export { nodeHttpFetch } from "./node-http-fetch.ts";
export type { HostAddress } from "./node-http-fetch.ts";
