/** The page that the browser shows after a login. It contains nothing from the request. */
import { createHash } from "node:crypto";
import type { ServerResponse } from "node:http";
import { finished } from "node:stream/promises";

export type CallbackOutcome = "done" | "denied" | "failed" | "unexpected";

const TEXTS: { readonly [outcome in CallbackOutcome]: readonly [title: string, text: string] } = {
  done: ["You are logged in", "You can close this window and go back to Plugboard."],
  denied: ["You are not logged in", "Access was denied. You can close this window."],
  failed: ["You are not logged in", "The login failed. Plugboard shows the reason. You can close this window."],
  unexpected: ["No login is waiting", "This page does not belong to a login in progress, or it was opened before."],
};

const STYLE =
  "body{font:1.1rem/1.5 system-ui,sans-serif;max-width:32rem;margin:20vh auto;padding:0 1.5rem}" +
  "@media(prefers-color-scheme:dark){body{background:#161616;color:#eee}}";

/** Resolves when the page has been sent or the browser has disconnected. */
export async function sendCallbackPage(
  response: ServerResponse,
  status: number,
  outcome: CallbackOutcome,
): Promise<void> {
  const [title, text] = TEXTS[outcome];
  const style = createHash("sha256").update(STYLE).digest("base64");
  response.writeHead(status, {
    "cache-control": "no-store",
    connection: "close",
    "content-security-policy": `default-src 'none'; style-src 'sha256-${style}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    "content-type": "text/html; charset=utf-8",
    "cross-origin-opener-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
  });
  response.end(
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title><style>${STYLE}</style></head>` +
      `<body><h1>${title}</h1><p>${text}</p></body></html>\n`,
  );
  // A disconnected browser does not matter.
  await finished(response).catch(() => {});
}
