export type {
  ActivityEntry,
  ActivityQuery,
  CallEntry,
  CallMetrics,
  DecisionEntry,
  Metrics,
  ServerMetrics,
  ToolMetrics,
  WorkspaceActivity,
} from "./activity.ts";
export { canonicalJson } from "./canonical-json.ts";
export type { Caller, CallerKind } from "./caller.ts";
export { sameCaller } from "./caller.ts";
export { controlPaths, reviveError, STREAM_PROTOCOL, THROUGH_HEADER, VERSION_HEADER } from "./control-protocol.ts";
export type { CallEvent, ChannelOpened } from "./control-protocol.ts";
export type { ContentBlock, KnownContent } from "./content.ts";
export { isText } from "./content.ts";
export type {
  Choice,
  Elicitation,
  ElicitationAnswer,
  FormElicitation,
  FormField,
  FormValue,
  UrlElicitation,
} from "./elicitation.ts";
export type { Era } from "./era.ts";
export { ERROR_TABLE } from "./error-table.ts";
export type { ErrorDetails, HostErrorCode } from "./error-table.ts";
export { HostError, isHostError, isPeerError, toHostError } from "./error.ts";
export type { AnyHostError, HostErrorJson, PeerError } from "./error.ts";
export type { HostEvent, HostFact } from "./event.ts";
export type { HostApi, WorkspaceSpec } from "./host-api.ts";
export { isJsonObject } from "./json.ts";
export type { Json, JsonObject } from "./json.ts";
export { LOG_LEVELS } from "./log-entry.ts";
export type { LogEntry, LogLevel } from "./log-entry.ts";
export type { Progress } from "./progress.ts";
export type {
  Completion,
  CompletionArgument,
  CompletionRef,
  FilledPrompt,
  ListedPrompts,
  Prompt,
  PromptArgument,
  PromptMessage,
} from "./prompt.ts";
export type {
  Answer,
  DefinitionChange,
  ElicitationQuestion,
  LoginQuestion,
  PermissionAnswer,
  PermissionQuestion,
  Question,
  QuestionOwner,
  SamplingQuestion,
  Settlement,
  LoginAnswer,
  LoginReason,
  LoginStep,
  LoginWay,
  TrustQuestion,
} from "./question.ts";
export type {
  ListedOver,
  ListedResources,
  ListedTemplates,
  Resource,
  ResourceContents,
  ResourceTemplate,
} from "./resource.ts";
export type { Root } from "./root.ts";
export { parseUrl } from "./parse-url.ts";
export { replaceHidden, sanitise, sanitiseLine } from "./sanitise.ts";
export type {
  ConfigLayer,
  AuthEntry,
  EntryValue,
  SecretReference,
  ServerEntry,
  Source,
  ToolFilterEntry,
  TransportName,
} from "./server-entry.ts";
export type { ServerDetail, ServerState, ServerStatus } from "./server-status.ts";
export type { LoginBackend, LoginStatus, LogoutReport, StoredLogin, StoredLogins } from "./login.ts";
export type { ToolResult } from "./tool-result.ts";
export type { OfferedTool, Tool, ToolAnnotations, ToolRef } from "./tool.ts";
export type {
  CallOptions,
  ConfigProblem,
  ConnectOptions,
  FoundTool,
  Inbox,
  ListOptions,
  LoginOptions,
  PendingServer,
  Provider,
  SetServersResult,
  Snapshot,
  StartReport,
  StoredDecision,
  Workspace,
  WorkspaceConfig,
  WorkspaceLogins,
  WorkspacePermissions,
  WorkspacePrompts,
  WorkspaceResources,
  WorkspaceServers,
  WorkspaceTools,
} from "./workspace.ts";
