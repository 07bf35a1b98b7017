/** Parts of the host that Plugboard's daemon, gateway and command line share. They may change in any version. */
export {
  createBareHost,
  createHostForCall,
  listServers,
  loadClientConnect,
  loadClientTransfer,
  loadRegistry,
  loadServerLog,
  referencedEnv,
} from "./lazy.ts";
export type { DiffLine } from "./clients/connect/diff-file.ts";
export type { GatewayTarget } from "./clients/connect/gateway-entry.ts";
export type { ListedClient } from "./clients/connect/list-clients.ts";
export type { ConnectPlan, FileChange } from "./clients/connect/plan-connect.ts";
export { isPlugboardItself } from "./config/definition/is-plugboard-itself.ts";
export type { Profile } from "./config/read/read-profiles.ts";
export { isProjectSource } from "./config/definition/project-limits.ts";
export type { ClientServers } from "./clients/read-client-file.ts";
export type { PlannedFile, PlannedServer } from "./clients/transfer/plan-import.ts";
export type { SecretUsers } from "./clients/transfer/read-stored-secrets.ts";
export type { UnreadableFile } from "./clients/transfer/read-import-source.ts";
export type { Attributes, Operation, Span, Tracer } from "./activity/operation.ts";
export { endAttributes, spanAttributes, spanName } from "./activity/operation.ts";
export { traceContextIn } from "./activity/telemetry.ts";
export type { Telemetry } from "./activity/telemetry.ts";
export { formatTraceparent, parseTraceparent } from "./activity/traceparent.ts";
export type { ServerLogLine } from "./activity/server-log-file.ts";
export { toJournalEntry } from "./activity/journal-line.ts";
export { RepeatedEvents } from "./activity/repeated-events.ts";
export { DEFAULT_PORT } from "./config/definition/gateway-link.ts";
export type { GatewayAuth, GatewaySettings } from "./config/read/read-gateway-settings.ts";
export type { ConfiguredModels } from "./config/resolve/configured-models.ts";
export { userConfigPath } from "./config/files/config-paths.ts";
export type { ChatService, LoadChatService } from "./host/chat-service.ts";
export type { HostOptions } from "./host/host-options.ts";
export { wantsNativeTools } from "./host/bind-host.ts";
export type { Host, HostOutputs } from "./host/host.ts";
export { describeTypes } from "./calls/schemas/describe-mismatch.ts";
export { checkField } from "./inbox/check-answer.ts";
export type { RequestContext } from "./calls/ask-user.ts";
export { Call } from "./calls/call.ts";
export { answerAsks } from "./calls/run-to-completion.ts";
export { loginInstructions } from "./calls/ask-client-to-log-in.ts";
export type { LoginMode } from "./auth/own-login.ts";
export { estimateJsonBytes, INCOMPLETE_FROM } from "./activity/estimate-json-bytes.ts";
export { cutText } from "./calls/output/cut-text.ts";
export type { ToolKey } from "./names/name-table.ts";
export { NameTable } from "./names/name-table.ts";
export { FRONT_NAMING, MAX_FRONT_NAME_LENGTH } from "./names/naming.ts";
export { toolName } from "./names/tool-name.ts";
export type { Naming } from "./names/naming.ts";
export { outputUri, parseOutputUri } from "./names/output-uri.ts";
export { outwardCursor, parseOutwardCursor } from "./names/outward-cursor.ts";
export { outwardTaskId, parseOutwardTaskId } from "./names/outward-task-id.ts";
export { OutwardUris } from "./names/outward-uris.ts";
export type { ServerUri } from "./names/outward-uris.ts";
export { rewriteField, rewriteMetaUris, rewriteResultUris } from "./names/rewrite-uris.ts";
export { decryptAesGcm, encryptAesGcm, newAesKey } from "./lib/aes-gcm.ts";
export { parseGlob } from "./lib/glob.ts";
export { nearest } from "./lib/nearest.ts";
export type { Policy } from "./policy/policy.ts";
export { withLock } from "./store/file-lock.ts";
export { makeFolder } from "./store/make-folder.ts";
export { unwritableError } from "./store/io-error.ts";
export { isProtected } from "./store/protected-paths.ts";
export { realPathOrSelf } from "./store/real-path.ts";
export { readOrCreateSecret } from "./store/secret-file.ts";
export { checkSocketFile, checkSocketPath, findSocket, socketPath } from "./store/socket-path.ts";
export { JsonLinesFile } from "./store/json-lines-file.ts";
export { StateFile } from "./store/state-file.ts";
export { writeAtomically, writeNewFile } from "./store/write-atomically.ts";
export { ensureStateFolder } from "./store/state-folder.ts";
export { stateFolder } from "./store/state-path.ts";
export { watchFiles } from "./store/watch-files.ts";
export { pathVariables, selectVariables } from "./config/resolve/path-variables.ts";
export { modelVisibleText } from "./tools/model-visible-text.ts";
export type { VisibleText } from "./tools/model-visible-text.ts";
export { toModelTool } from "./tools/provider-tool-formats.ts";
export type { ResolvedTool } from "./tools/resolved-tool.ts";
export type { ToolView, ViewedTool } from "./tools/tool-view.ts";
export { resolveRef } from "./tools/resolve-ref.ts";
export type { ForwardedServer } from "./workspace/server-forwarding.ts";
export type { OpenWorkspace } from "./workspace/open-workspace.ts";
export type {
  ChoiceInput,
  FilledChoice,
  GivenValues,
  InputAnswers,
  NeededSecret,
  NeededVariable,
  RegistryClient,
  RegistryServer,
  SearchResult,
  ServerChoice,
  SupportedChoice,
} from "./registry/index.ts";
