/** Exports for the gateway and the chats: an open workspace in the process of its host. */
export type { OpenWorkspace } from "./workspace/open-workspace.ts";
export type { LoginMode } from "./auth/own-login.ts";
export { selectionOf } from "./profiles/selection.ts";
export type { Selection } from "./profiles/selection.ts";
