/**
 * Runs inside the frame that the page opens for an MCP App, on an origin of its own. Puts the HTML of the App into an
 * inner frame and passes messages between the App and the page. The inner frame inherits the policy of this document,
 * and its origin is opaque, so that the App shares nothing with this document, the page or another App.
 */
import { AppChannel } from "./app-channel.ts";
import { withGuard } from "./guard-document.ts";
import { SANDBOX_LEFT, SANDBOX_READY, SANDBOX_RESOURCE } from "./sandbox-messages.ts";

const page = window.parent;
/** The origin of the page. The policy lets no other origin frame this document. */
let pageOrigin: string | undefined;
let app: { readonly frame: HTMLIFrameElement; readonly channel: AppChannel } | undefined;

function showApp(html: string): void {
  const nonce = crypto.randomUUID();
  const frame = document.createElement("iframe");
  app = { frame, channel: new AppChannel(nonce, sendAppMessage, removeApp) };
  // Scripts can handle forms. The policy blocks submitting them.
  frame.setAttribute("sandbox", "allow-scripts allow-forms");
  frame.title = "MCP App";
  frame.srcdoc = withGuard(html, nonce, location.origin);
  // The first load is that of the App. At the next one, the App has left its document.
  frame.addEventListener("load", () => frame.addEventListener("load", removeApp), { once: true });
  document.body.append(frame);
}

/** Called when the App has left its document, so another site may be in the frame. */
function removeApp(): void {
  if (!app) return;
  app.frame.remove();
  app = undefined;
  send({ jsonrpc: "2.0", method: SANDBOX_LEFT, params: {} });
}

function sendAppMessage(message: unknown): void {
  if (app && !isSandboxMessage(message)) send(message);
}

function send(message: unknown): void {
  if (pageOrigin !== undefined) page.postMessage(message, pageOrigin);
}

window.addEventListener("message", (event: MessageEvent<unknown>) => {
  if (event.source === page) onPageMessage(event.data, event.origin);
  else if (app && event.source === app.frame.contentWindow) app.channel.receive(event);
});

function onPageMessage(data: unknown, origin: string): void {
  if (!isSandboxMessage(data)) return app?.channel.send(data as object);
  const { method, params } = data;
  if (method !== SANDBOX_RESOURCE || pageOrigin !== undefined || typeof params?.html !== "string") return;
  pageOrigin = origin;
  showApp(params.html);
}

interface SandboxMessage {
  readonly method: string;
  readonly params?: { readonly html?: unknown };
}

/** Messages between the page and this document. The App neither gets nor sends them. */
function isSandboxMessage(data: unknown): data is SandboxMessage {
  const method = (data as { readonly method?: unknown } | null)?.method;
  return typeof method === "string" && method.startsWith("ui/notifications/sandbox-");
}

// Sent to any origin, because the origin of the page is not known yet. The message contains no secret.
if (page !== window) page.postMessage({ jsonrpc: "2.0", method: SANDBOX_READY, params: {} }, "*");
