/**
 * The first script of an App's document, the guard. A frame keeps its window when it leaves for another document, so a
 * message of the window does not show which document sent it. The port of this script does: it is created before any
 * code of the App runs, and ends with the document.
 */

/** Posted when the document ends. The guard answers each ping (null) with null. */
export const LEFT = "left";

/** Returns the HTML of an App with the guard before it. A `srcdoc` without a doctype is in standards mode, too. */
export function withGuard(html: string, nonce: string, sandboxOrigin: string): string {
  const values = [nonce, sandboxOrigin, LEFT].map((value) => JSON.stringify(value));
  return `<script>(${guardDocument.toString()})(${values.join(", ")})</script>${html}`;
}

/**
 * Runs in the document of the App, so it uses nothing from outside itself. Keeps the functions that it calls later,
 * because the App could replace them to steal the port.
 */
function guardDocument(nonce: string, sandboxOrigin: string, left: string): void {
  const { port1, port2 } = new MessageChannel();
  const sandbox = window.parent;
  const post = port1.postMessage.bind(port1);
  const dispatch = window.dispatchEvent.bind(window);
  const AppMessageEvent = MessageEvent;
  // oxlint-disable-next-line typescript/unbound-method -- is bound to each event by `call`
  const dataOf = Function.prototype.call.bind(Object.getOwnPropertyDescriptor(MessageEvent.prototype, "data")!.get!);
  port1.addEventListener("message", (event) => {
    const data: unknown = dataOf(event);
    if (data === null) post(null);
    else dispatch(new AppMessageEvent("message", { data, origin: sandboxOrigin, source: sandbox }));
  });
  port1.start();
  window.addEventListener("pagehide", () => post(left), { capture: true });
  document.currentScript?.remove();
  sandbox.postMessage(nonce, sandboxOrigin, [port2]);
}
