/** The library: everything that a program needs to embed a host. */
export { isHostError } from "@plugboard/contracts";
export type * from "@plugboard/contracts";
export { createHost, editConfig } from "./lazy.ts";
export { toPrometheus } from "./activity/prometheus.ts";
export { VERSION } from "./lib/version.ts";
export { toAgentStatus } from "./workspace/agent-status.ts";

export type { Keyring } from "./auth/vault/keyring.ts";
export type { OpenUrlPort } from "./auth/oauth/interactive-login.ts";
export type { ModelPort } from "./calls/sampling.ts";
export type { ModelContent, ModelMedia } from "./calls/output/to-model-content.ts";
export type { ConfigChange } from "@plugboard/config/edit";
export type { ConfigEdit } from "@plugboard/config/edit";
export type { CreateHostOptions, HostPorts } from "./library/create-host-options.ts";
export type { ProgramServer, SdkServer } from "./core/server-objects.ts";
export type {
  EmbeddedActivity,
  EmbeddedConfig,
  EmbeddedHost,
  EmbeddedServers,
  EmbeddedTools,
} from "./library/embedded-host.ts";
export type { AnswerPort } from "./inbox/answer-port.ts";
export type { NativeContext, NativeTool } from "./tools/native-tool.ts";
export type { ProviderToolFormats } from "./tools/provider-tool-formats.ts";
export type { AgentServerStatus } from "./workspace/agent-status.ts";
export type { RootsPort } from "./workspace/workspace-roots.ts";
