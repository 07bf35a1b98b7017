/** Creates hosts without a workspace of their own, for the daemon and for commands. */
export { createBareHost, createHostForCall } from "./lazy.ts";
export { wantsNativeTools } from "./core/bind-host.ts";
export type { ChatService, LoadChatService } from "./core/chat-service.ts";
export type { HostOptions } from "./core/host-options.ts";
export type { Host } from "./core/host.ts";
