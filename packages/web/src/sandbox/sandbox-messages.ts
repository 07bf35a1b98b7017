/** The messages between the page and the sandbox of an App. The specification of MCP Apps names the first two. */
export const SANDBOX_READY = "ui/notifications/sandbox-proxy-ready";
export const SANDBOX_RESOURCE = "ui/notifications/sandbox-resource-ready";
/** The App has left its document, and was removed. */
export const SANDBOX_LEFT = "ui/notifications/sandbox-left";
