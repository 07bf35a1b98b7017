export { META_KEYS } from "./wire/meta-keys.ts";
export { explainDenial } from "./sandbox/sandbox-denials.ts";
export type { SandboxDenial } from "./sandbox/sandbox-denials.ts";
export type { CatalogPart, CatalogStore } from "./catalog/catalog.ts";
export type { ListResult } from "./catalog/list-pages.ts";
export { parseSkill, unusableSkillReason } from "./catalog/skill-list.ts";
export type { ToolCatalog } from "./catalog/tool-list.ts";
export { decodeSnapshot, encodeSnapshot } from "./catalog/catalog-snapshot.ts";
export type { CatalogSnapshot } from "./catalog/catalog-snapshot.ts";
export { Connection } from "./connection/connection.ts";
export type { ConnectionOptions, ConnectionSettings, ServerOutput } from "./connection/connection-options.ts";
export type { ConnectionLimits } from "./connection/connection-limits.ts";
export { proxyUrl } from "./connection/proxy-url.ts";
export type { ConnectionState } from "./connection/connection-state.ts";
export type { InProcessTarget, Target } from "./connection/target.ts";
export type { Ask, AskAnswer, AskAnswers } from "./session/ask.ts";
export { SAMPLING_UNSUPPORTED } from "./session/ask.ts";
export type { ElicitationSupport } from "./session/front-capabilities.ts";
export type { FrontClient, FrontContext, McpRequestHandler } from "./session/mcp-request-handler.ts";
export type { HostIds, Identity, SamplingSupport } from "./session/identity.ts";
export { gatewayIdsMeta, NO_EXTENSIONS, SKILLS_EXTENSION, TASKS_EXTENSION } from "./session/identity.ts";
export type { Op, PortableCall, Resumed } from "./session/op.ts";
export type { Outcome, ResumeContext, Suspended, TaskOutcome } from "./session/outcome.ts";
export type {
  CallContext,
  CallerTurns,
  Change,
  ChangeFilter,
  CallInFlight,
  ChangeSubscription,
  OnUnattributedRequest,
  Session,
  TraceContext,
} from "./session/session.ts";
export type { ServerCapabilities, ServerInfo } from "./session/server-info.ts";
export { NEWEST_REVISION, REVISIONS } from "./session/revisions.ts";
export type { Revision } from "./session/revisions.ts";
export type { CredentialRequest, Credentials } from "./transport/http/credentials.ts";
export type { AuthRefusal } from "./transport/http/http-status-error.ts";
export { linkedPair } from "./transport/in-process/linked-pair.ts";
export { serveInProcess } from "./transport/in-process/serve-in-process.ts";
export type { ServerObject } from "./transport/in-process/serve-in-process.ts";
export { INVALID_PARAMS, METHOD_NOT_FOUND, MISSING_CLIENT_CAPABILITY } from "./wire/rpc-error-codes.ts";
export type { Transport } from "./wire/transport.ts";
export { parseToolResult } from "./wire/parse-tools.ts";
