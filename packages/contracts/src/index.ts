/**
 * What all packages share: the types and method tables of the API, the protocol types, the errors, and small helpers.
 */
export type {
  DurationMetric,
  DurationMetricName,
  DurationPoint,
  ActivityEntry,
  ActivityQuery,
  CallEntry,
  CallMetrics,
  DecisionEntry,
  Metrics,
  OutcomeCount,
  ServerMetrics,
  ToolMetrics,
  WorkspaceActivity,
} from "./api/workspace/activity.ts";
export type {
  CallBucket,
  CallFilter,
  CallGroup,
  CallPhase,
  CallStats,
  CallStatsQuery,
  CallTotals,
  CountedCall,
  PhaseTimes,
} from "./api/workspace/call-stats.ts";
export { isFailedCall, matchesCallFilter, serverMs, stoppedWord } from "./api/workspace/call-stats.ts";
export { abortable } from "./async/abortable.ts";
export type {
  ChatInfo,
  ChatInput,
  ChatLimits,
  Chats,
  ChatSpec,
  ChatView,
  CancelChatOptions,
  CompactChatOptions,
  ListChatsOptions,
  ListModelsOptions,
  ModelChoices,
  ResumeOptions,
  SentInput,
} from "./api/chat/chat.ts";
export { totalTokens } from "./api/chat/chat-message.ts";
export { applyChatEvent, openTranscript } from "./api/chat/apply-chat-event.ts";
export type { ChatEvent, ChatTurnEnd } from "./api/chat/chat-event.ts";
export type {
  ChatToolApp,
  ChatAssistantMessage,
  ChatMedia,
  ChatMessage,
  ChatReasoning,
  ChatText,
  ChatToolCall,
  ChatToolMessage,
  ChatToolResult,
  ChatToolStatus,
  ChatUsage,
  ProviderMetadata,
  ChatUserMessage,
} from "./api/chat/chat-message.ts";
export type { ChatCallEntry, ChatEntry, ChatTranscript } from "./api/chat/chat-transcript.ts";
export { inputText } from "./api/chat/input-text.ts";
export { CHAT_METHODS, isChatMethodPath } from "./api/chat/chat-methods.ts";
export type { ChatMethodPath } from "./api/chat/chat-methods.ts";
export { CALLER_CANCELLED, cancelled } from "./errors/error.ts";
export { buildApi, callMethod } from "./api/methods/build-api.ts";
export { CLIENT_NAMES } from "./api/operations/client-names.ts";
export type { ClientName } from "./api/operations/client-names.ts";
export { canonicalJson } from "./lib/canonical-json.ts";
export type { Caller, CallerKind, Principal } from "./api/host/caller.ts";
export { findEntryToGive, findOldestOfLargest } from "./api/host/give-way.ts";
export { accountOf, answersForWorkspace, clientNameOf, OWNER, principalIdOf, sameCaller } from "./api/host/caller.ts";
export { compoundKey } from "./lib/compound-key.ts";
export {
  APP_SANDBOX_PATH,
  CONTROL_API_PATH,
  controlPaths,
  deserializeError,
  STDIO_UPGRADE_PROTOCOL,
  HOST_CHAIN_HEADER,
  VERSION_HEADER,
  PAGE_KEY_HEADER,
  PAGE_CLEAR_PATH,
  PAGE_SESSION_PATH,
} from "./api/host/control-protocol.ts";
export type { CallEvent, ChannelOpened, ChannelRequest, WorkspaceOpened } from "./api/host/control-protocol.ts";
export {
  APP_MIME_TYPE,
  APPS_EXTENSION,
  checkAppOrigins,
  findAppHtml,
  mayBeLocal,
  NO_APP_ORIGINS,
  parseAppDeclaration,
  parseToolUi,
} from "./protocol/app.ts";
export type { AppDeclaration, AppOrigins, CheckedOrigins, RefusedOrigin, ToolUi } from "./protocol/app.ts";
export type { AnyContent, ContentBlock, KnownContent } from "./protocol/content.ts";
export { isText } from "./protocol/content.ts";
export type {
  Choice,
  Elicitation,
  ElicitationAnswer,
  FormElicitation,
  FormField,
  FormValue,
  UrlElicitation,
} from "./protocol/elicitation.ts";
export { checkFormField } from "./protocol/check-form-field.ts";
export { allowAdvice, COMMAND_REMEDIES, commandMessage } from "./errors/command-message.ts";
export { frontMessage } from "./errors/front-message.ts";
export type { Env } from "./api/host/host-api.ts";
export { ERAS } from "./api/workspace/server-status.ts";
export type { Era } from "./api/workspace/server-status.ts";
export { CALL_ID_FORM, isCallId, optionNames, toolArguments } from "./api/methods/argument-checks.ts";
export { ERROR_TABLE } from "./errors/error-table.ts";
export { EXIT_STATUSES } from "./errors/exit-statuses.ts";
export type { ErrorDetails, HostErrorCode, ToolOffCause } from "./errors/error-details.ts";
export { HostError, isHostError, isPeerError, toHostError } from "./errors/error.ts";
export type { AnyHostError, HostErrorJson, PeerError } from "./errors/error.ts";
export type { HostEvent, HostEventData } from "./api/host/event.ts";
export type { CallerOptions, HostApi, WorkspaceSpec } from "./api/host/host-api.ts";
export { INSTANCE_VARIABLE, readInstanceVariable } from "./api/host/host-chain.ts";
export type { ClientCounts, ConnectedClient, HostControl, HostInfo, HostStarter } from "./api/host/host-control.ts";
export type { ListenAddress, ListenOptions, PageLink, PortInfo, StopOptions } from "./api/host/host-control.ts";
export { HOST_METHODS, isHostMethodPath } from "./api/host/host-methods.ts";
export type { HostMethodPath } from "./api/host/host-methods.ts";
export { formatDuration, formatMs } from "./lib/format-duration.ts";
export { isUri } from "./lib/is-uri.ts";
export { isJsonObject } from "./lib/json.ts";
export type { Json, JsonObject } from "./lib/json.ts";
export { lastLines } from "./lib/last-lines.ts";
export { Listeners } from "./lib/listeners.ts";
export { LOG_LEVELS } from "./protocol/log-entry.ts";
export type { ServerLogLine } from "./api/workspace/server-log-line.ts";
export type { LogEntry, LogLevel } from "./protocol/log-entry.ts";
export type { Progress } from "./api/workspace/workspace.ts";
export type {
  Completion,
  CompletionArgument,
  CompletionRef,
  GetPromptResult,
  PromptList,
  Prompt,
  PromptArgument,
  PromptMessage,
} from "./protocol/prompt.ts";
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
  LoginMethod,
  TrustQuestion,
} from "./api/workspace/question.ts";
export { answerRows, findAnswer, offeredAnswers, PERMISSION_ANSWERS } from "./api/workspace/permission-answers.ts";
export type { AnswerGrant, AnswerName, AnswerRow } from "./api/workspace/permission-answers.ts";
export type {
  MultiServerList,
  ResourceList,
  ResourceTemplateList,
  Resource,
  ResourceContents,
  ResourceTemplate,
} from "./protocol/resource.ts";
export type { Root } from "./protocol/resource.ts";
export { resolveSkillFile, skillFilePath, skillFileProblem } from "./protocol/skill.ts";
export type { Skill, SkillFile, SkillFileContents, SkillFileState, SkillList } from "./protocol/skill.ts";
export { parseUrl } from "./lib/parse-url.ts";
export { programName } from "./lib/program-name.ts";
export { quoteShellWord } from "./lib/quote-shell-word.ts";
export { sanitize, sanitizeLine } from "./lib/sanitize.ts";
export { splitShellWords } from "./lib/split-shell-words.ts";
export { visibleJson } from "./lib/visible-json.ts";
export { describeTypes } from "./schema/describe-types.ts";
export { allowedTypes, allowedValues, hasType } from "./schema/allowed-types.ts";
export { printType } from "./schema/print-type.ts";
export type { PrintedProperty, TypeStyle } from "./schema/print-type.ts";
export { quoteName, renderFullSignature, renderType, signatureVariants } from "./schema/render-signature.ts";
export { alternativesOf, keywordList, keywordText, resolveRef, resolveSchema } from "./schema/resolve-schema.ts";
export { schemaType } from "./schema/schema-type.ts";
export type { TypeLimits } from "./schema/schema-type.ts";
export { rejectsUnknownArguments, toolParameters } from "./schema/tool-parameters.ts";
export type { ToolParameter } from "./schema/tool-parameters.ts";
export type {
  ConfigLayer,
  EntryValue,
  SecretReference,
  ConfigSource,
  ToolFilterEntry,
  TransportName,
} from "./api/workspace/server-entry.ts";
export { AUTH_TYPES, authRows } from "./api/workspace/auth-keys.ts";
export type { AuthEntry, AuthKey, AuthKeys, AuthKeysOf, AuthType, AuthValue } from "./api/workspace/auth-keys.ts";
export { ENTRY_KEYS, entryRows } from "./api/workspace/entry-keys.ts";
export type { EntryKey, EntryKeys, KeysWith, LiveKey, ServerEntry } from "./api/workspace/entry-keys.ts";
export type {
  CamelCase,
  CombineRule,
  EntryRow,
  EntryValueTypes,
  KeyAlias,
  ValueOf,
} from "./api/workspace/entry-row.ts";
export { isInvalid, isUntrusted, SHOWN_STATES, shownState } from "./api/workspace/shown-state.ts";
export type { ShownState } from "./api/workspace/shown-state.ts";
export {
  describeUrls,
  hasProtocolOf,
  hasUrl,
  TRANSPORT_SPELLINGS,
  transportOfUrl,
  transportRows,
  TRANSPORTS,
  URL_TRANSPORTS,
} from "./api/workspace/transports.ts";
export type { UrlTransport } from "./api/workspace/transports.ts";
export type { ListedTool, ServerDetail, ServerState, ServerStatus } from "./api/workspace/server-status.ts";
export type { LoginBackend, LoginStatus, LogoutReport, StoredLogin, LoginList } from "./api/workspace/login.ts";
export type { SecretList, SecretStatus } from "./api/workspace/secret.ts";
export { SCHEMA_MISMATCH_KEY } from "./protocol/schema-mismatch-key.ts";
export { NATIVE_SERVER_ID } from "./protocol/tool.ts";
export type { ToolResult } from "./protocol/tool.ts";
export type { DescribedTool, OfferedTool, Tool, ToolAnnotations, ToolRef } from "./protocol/tool.ts";
export type {
  CallOptions,
  ConfigProblem,
  ConnectOptions,
  ToolSearchHit,
  WorkspaceInbox,
  ListOptions,
  LoginOptions,
  PendingServer,
  ModelProvider,
  SetServersResult,
  Snapshot,
  StartOptions,
  StartReport,
  DecisionGrantee,
  StoredDecision,
  Workspace,
  WorkspaceConfig,
  WorkspaceLogins,
  WorkspaceSecrets,
  WorkspacePermissions,
  WorkspacePrompts,
  WorkspaceResources,
  WorkspaceServers,
  WorkspaceSkills,
  WorkspaceTools,
} from "./api/workspace/workspace.ts";
export { METHODS, requireConditionalRights, requireMethodRights } from "./api/methods/all-methods.ts";
export type { MethodPath } from "./api/methods/all-methods.ts";
export { ALL_HOLDERS, holderOf, HOLDERS } from "./api/rights/holder.ts";
export type { Holder } from "./api/rights/holder.ts";
export { grantOf, hasRight, mayApprove, requireRight, RIGHTS, rightMissing } from "./api/rights/rights.ts";
export type { Grant, Right } from "./api/rights/rights.ts";
export { specRights } from "./api/rights/spec-rights.ts";
export { packArguments, unpackArguments } from "./api/methods/method-arguments.ts";
export type { LocalOptions } from "./api/methods/method-arguments.ts";
export { isWorkspaceMethodPath, WORKSPACE_METHODS } from "./api/workspace/workspace-methods.ts";
export type { MethodSpec } from "./api/methods/method-spec.ts";
export type { WorkspaceMethod, WorkspaceMethodPath } from "./api/workspace/workspace-methods.ts";
export { abortableDelay } from "./async/abortable-delay.ts";
export { backoff, DEFAULT_BACKOFF } from "./async/backoff.ts";
export type { BackoffOptions } from "./async/backoff.ts";
export { Cancellation, toAbortSignal } from "./async/cancellation.ts";
export type { CancelSignal } from "./async/cancellation.ts";
export { steadyNow, systemClock } from "./async/clock.ts";
export type { Clock, TimerOptions } from "./async/clock.ts";
export { nearest } from "./lib/nearest.ts";
export type {
  HttpTarget,
  ProxyTarget,
  SandboxPolicy,
  SandboxSetting,
  ServerTarget,
  SseTarget,
  StdioTarget,
  WebSocketTarget,
} from "./api/workspace/server-target.ts";
export {
  describeSandbox,
  describeSandboxToApprove,
  parseSandboxWord,
  SANDBOX_PRESETS,
  SANDBOX_WORDS,
} from "./api/workspace/sandbox.ts";
export type { SandboxAccess } from "./api/workspace/sandbox.ts";
export type { Redactor } from "./errors/redactor.ts";
export { DEFAULT_NAMING, NAMINGS } from "./api/workspace/naming.ts";
export type { Naming } from "./api/workspace/naming.ts";
export { isOperationPath, OPERATION_METHODS } from "./api/operations/operations.ts";
export type { OperationPath, Operations } from "./api/operations/operations.ts";
export type { CallFailure, HostOperations, HostOverview, ScopeInfo } from "./api/operations/host.ts";
export { EDITABLE_SCOPES } from "./api/operations/servers.ts";
export type {
  DefiningFile,
  DescribedDefinition,
  DescribeServerOptions,
  EditableScope,
  EnabledServer,
  FoundSecret,
  ParsedEntry,
  PlanServerOptions,
  RemovedServer,
  SaveServerOptions,
  SavedServer,
  ScopeEntries,
  ServerDefinitionFile,
  ServerDescription,
  ServerDraft,
  ServerOperations,
  ServerPlan,
  ServerTest,
  StorableSecrets,
  UnknownServer,
} from "./api/operations/servers.ts";
export type {
  ConfigCheck,
  ConfigFileInfo,
  ConfigFileOperations,
  ConfigFilesOptions,
  OpenedConfigFile,
} from "./api/operations/config-files.ts";
export type {
  Profile,
  ProfileInfo,
  ProfileOperations,
  RemovedProfile,
  SavedProfile,
} from "./api/operations/profiles.ts";
export type { FrontNames, HiddenTool, ToolOperations } from "./api/operations/tools.ts";
export type {
  AddedRules,
  PermissionRule,
  RemoveRulesOptions,
  RuleEffect,
  RuleFilter,
  RuleOperations,
  RuleScope,
  UnknownRuleTarget,
} from "./api/operations/rules.ts";
export type { SecretOperations } from "./api/operations/secrets.ts";
export type { TrustOperations, TrustState, WithdrawnTrust } from "./api/operations/trust.ts";
export type {
  ConfigFacts,
  ConfigFileFacts,
  DiagnosisOperations,
  InspectedProgram,
  InspectedServer,
} from "./api/operations/diagnosis.ts";
export type {
  ExportServersOptions,
  ExportedServers,
  ImportFile,
  ImportPlan,
  ImportResult,
  ImportServersOptions,
  ImportableServer,
  PlanImportOptions,
  TransferOperations,
} from "./api/operations/transfer.ts";
export type {
  RegistryChoice,
  RegistryDraft,
  RegistryEntry,
  RegistryFilling,
  PublishedServer,
  RegistryGivenValues,
  RegistryHit,
  RegistryInputField,
  RegistryOperations,
  RegistryRequestOptions,
  RegistrySearch,
  RegistrySearchOptions,
  RegistrySecret,
  RegistryServerOptions,
  UnsupportedRegistryChoice,
} from "./api/operations/registry.ts";
export { NEEDS_PERMISSION_NOTE } from "./api/operations/tokens.ts";
export type { KeyInfo, KeyOperations } from "./api/operations/keys.ts";
export type { CreateTokenOptions, TokenInfo, TokenOperations } from "./api/operations/tokens.ts";
export type {
  ChangedClient,
  ClientConnection,
  ClientFileInfo,
  ClientInfo,
  ClientOperations,
  ClientPlan,
  ClientScope,
  ConnectClientOptions,
  ConnectInstructions,
  ConnectPlan,
  DiffLine,
  DisconnectClientOptions,
  InstructionsOptions,
} from "./api/operations/clients.ts";
