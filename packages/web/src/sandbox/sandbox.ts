/**
 * Runs inside the frame that the page opens for an MCP App, on an origin of its own. Puts the HTML of the App into an
 * inner frame and passes messages between the App and the page. The inner frame inherits the policy of this document,
 * and its origin is opaque, so that the App shares nothing with this document, the page or another App.
 */
import { SANDBOX_NAVIGATED, SANDBOX_READY, SANDBOX_RESOURCE } from "./sandbox-messages.ts";

const page = window.parent;
/** The origin of the page. The policy lets no other origin frame this document. */
let pageOrigin: string | undefined;
let app: HTMLIFrameElement | undefined;

function showApp(html: string): void {
  app = document.createElement("iframe");
  // Scripts can handle forms. The policy blocks submitting them.
  app.setAttribute("sandbox", "allow-scripts allow-forms");
  app.title = "MCP App";
  app.srcdoc = html;
  app.addEventListener("load", () => app?.addEventListener("load", stopApp), { once: true });
  document.body.append(app);
}

/** The App has left its document, so another site may be in the frame. */
function stopApp(): void {
  app?.remove();
  app = undefined;
  send({ jsonrpc: "2.0", method: SANDBOX_NAVIGATED, params: {} });
}

function send(message: unknown): void {
  if (pageOrigin !== undefined) page.postMessage(message, pageOrigin);
}

window.addEventListener("message", ({ source, origin, data }: MessageEvent<unknown>) => {
  if (source === page) return onPageMessage(data, origin);
  if (app && source === app.contentWindow && !isSandboxMessage(data)) send(data);
});

function onPageMessage(data: unknown, origin: string): void {
  if (!isSandboxMessage(data)) return app?.contentWindow?.postMessage(data, "*");
  const { method, params } = data;
  if (method !== SANDBOX_RESOURCE || app || typeof params?.html !== "string") return;
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

// Contains nothing that another site must not see: the origin of the page is not known yet.
if (page !== window) page.postMessage({ jsonrpc: "2.0", method: SANDBOX_READY, params: {} }, "*");
