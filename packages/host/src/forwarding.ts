/** Exports for the gateway, which forwards requests of its clients: calls, outward names, the view of a workspace. */
export { Call } from "./calls/call.ts";
export type { RequestContext } from "./calls/ask-user.ts";
export { answerAsks } from "./calls/run-to-completion.ts";
export { loginInstructions } from "./calls/ask-client-to-log-in.ts";
export type { ForwardedServer } from "./workspace/server-forwarding.ts";

export { NameTable } from "./names/name-table.ts";
export type { ToolKey } from "./names/name-table.ts";
export { FRONT_NAMING, MAX_FRONT_NAME_LENGTH } from "./names/naming.ts";
export { outputUri, parseOutputUri } from "./names/output-uri.ts";
export { outwardCursor, parseOutwardCursor } from "./names/outward-cursor.ts";
export { outwardTaskId, parseOutwardTaskId } from "./names/outward-task-id.ts";
export { OutwardUris } from "./names/outward-uris.ts";
export type { ServerUri } from "./names/outward-uris.ts";
export { rewriteMetaUris, rewriteResultUris } from "./names/rewrite-uris.ts";

export type { Policy } from "./policy/policy.ts";
export type { ResolvedTool } from "./tools/resolved-tool.ts";
export type { ToolView, ViewedTool } from "./tools/tool-view.ts";

export { estimateJsonBytes, INCOMPLETE_FROM } from "./activity/estimate-json-bytes.ts";
export { cutText } from "./calls/output/cut-text.ts";
export type { HostOutputs } from "./core/host.ts";
