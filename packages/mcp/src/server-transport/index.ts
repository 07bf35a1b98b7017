export { ArrivingBodies } from "./arriving-bodies.ts";
export { clientDisconnectSignal } from "./client-disconnect.ts";
export { findExceededBound } from "../transport/messages/json-bounds.ts";
export { HttpFront } from "./http-front.ts";
export type { HttpFrontOptions } from "./http-front.ts";
export { HttpSessions } from "./http-sessions.ts";
export { PipelineLimiter } from "./pipeline-limiter.ts";
export { serveStdioFront } from "./stdio-front.ts";
export type { StdioFront, StdioFrontOptions } from "./stdio-front.ts";
