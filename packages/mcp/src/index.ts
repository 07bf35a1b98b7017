export type { CatalogPart, CatalogStore } from "./catalog/catalog.ts";
export type { Dropped, Listed } from "./catalog/list-pages.ts";
export type { ToolCatalog } from "./catalog/list-tools.ts";
export { decodeSnapshot, encodeSnapshot } from "./catalog/snapshot.ts";
export type { CatalogSnapshot } from "./catalog/snapshot.ts";
export { steadyNow, systemClock } from "./clock.ts";
export type { Clock } from "./clock.ts";
export type { Concealer } from "./connection/conceal.ts";
export { Connection } from "./connection/connection.ts";
export type { ConnectionOptions } from "./connection/connection.ts";
export type { ConnectionLimits } from "./connection/limits.ts";
export { proxyUrl } from "./connection/proxy-url.ts";
export type { ConnectionState } from "./connection/state.ts";
export type {
  HttpTarget,
  InProcessTarget,
  ProxyTarget,
  SseTarget,
  StdioTarget,
  Target,
  WebSocketTarget,
} from "./connection/target.ts";
export type { Ask, AskAnswer } from "./dialect/ask.ts";
export type { Answers, ElicitationSupport, FrontContext, Handler } from "./dialect/handler.ts";
export type { HostIds, Identity } from "./dialect/identity.ts";
export { gatewayIdsMeta } from "./dialect/host-ids.ts";
export type { CompletionRef, Op, Resumed } from "./dialect/op.ts";
export type { Outcome, ResumeContext, Suspended, Underway } from "./dialect/outcome.ts";
export type {
  CallContext,
  Change,
  Filter,
  InFlight,
  Lending,
  Listening,
  Offers,
  OnStrayAsk,
  ServerFacts,
  Session,
  Trace,
} from "./dialect/session.ts";
export type { CredentialRequest, Credentials } from "./transport/credentials.ts";
export type { AuthRefusal } from "./transport/http-refusal.ts";
export { linkedPair } from "./transport/in-process.ts";
export { serveInProcess } from "./transport/server-object.ts";
export type { ServerObject } from "./transport/server-object.ts";
export type { Transport } from "./wire/transport.ts";
export { Processes } from "./process/processes.ts";
export { runOnce } from "./process/run-once.ts";
export type { RunResult, RunSpec } from "./process/run-once.ts";
export { readToolResult } from "./wire/read-tool-result.ts";
