// What a program needs to name what it is given and what it catches.
export { HostError, isHostError } from "@plugboard/contracts";
export type * from "@plugboard/contracts";
export { createHost, editConfig, referencedEnv } from "./lazy.ts";
export type { CreateHostOptions, HostPorts, ProgramServer, SdkServer } from "./create-host-options.ts";
export type {
  EmbeddedActivity,
  EmbeddedConfig,
  EmbeddedHost,
  EmbeddedServers,
  EmbeddedTools,
} from "./embedded-host.ts";
export { toAgentStatus } from "./workspace/agent-status.ts";
export type { AgentServerStatus } from "./workspace/agent-status.ts";
export type { ModelContent, ModelMedia } from "./calls/to-model-content.ts";
export type { ModelPort } from "./calls/sampling.ts";
export type { ConfigEdit } from "./config/edit/edit-config.ts";
export type { ConfigChange } from "./config/edit/apply-change.ts";
export { toPrometheus } from "./activity/prometheus.ts";
export type { ProviderToolFormats } from "./tools/provider-tool-formats.ts";
export type { NativeContext, NativeTool } from "./tools/native-tool.ts";
export { modelVisibleText } from "./tools/model-visible-text.ts";
export type { VisibleText } from "./tools/model-visible-text.ts";
export type { RootsPort } from "./workspace/workspace-roots.ts";
export { isProtected } from "./store/protected-paths.ts";
export { userConfigPath } from "./config/files/config-paths.ts";
export { nearest } from "./lib/nearest.ts";
export { decryptAesGcm, encryptAesGcm, newAesKey } from "./lib/aes-gcm.ts";
export type { HostOptions } from "./host.ts";
export type { AnswerPort } from "./inbox/answer-port.ts";
export type { OpenUrlPort } from "./auth/oauth/interactive-login.ts";
export type { Keyring } from "./auth/vault/keyring.ts";
export { checkField } from "./inbox/check-answer.ts";
export { readOrCreateSecret } from "./store/secret-file.ts";
export { checkSocketFile, checkSocketPath, findSocket, socketPath } from "./store/socket-path.ts";
export { ensureStateFolder } from "./store/state-folder.ts";
export { VERSION } from "./lib/version.ts";
export type { OpenWorkspace } from "./workspace/open-workspace.ts";
