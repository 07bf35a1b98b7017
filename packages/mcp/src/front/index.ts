export { goneSignal } from "../transport/gone-signal.ts";
export { jsonExcess } from "../transport/json-bounds.ts";
export { HttpFront } from "./http-front.ts";
export type { HttpFrontOptions } from "./http-front.ts";
export { PipelinedRequests } from "../transport/pipelined-requests.ts";
export { serveStdioFront } from "./stdio-front.ts";
export type { StdioFront, StdioFrontOptions } from "./stdio-front.ts";
