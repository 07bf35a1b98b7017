export { openStream } from "./open-stream.ts";
export { nodeFetch } from "./socket-fetch.ts";
export type { Where } from "./socket-fetch.ts";
