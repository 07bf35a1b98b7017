/** What the browser shows when it comes back from a login. Nothing of what it was sent with is in it. */
import { createHash } from "node:crypto";
import type { ServerResponse } from "node:http";
import { finished } from "node:stream/promises";

export type CallbackOutcome = "done" | "denied" | "failed" | "unexpected";

const TEXTS: { readonly [outcome in CallbackOutcome]: readonly [title: string, text: string] } = {
  done: ["You are logged in", "You can close this window and go back to Plugboard."],
  denied: ["You are not logged in", "The access was not granted. You can close this window."],
  failed: ["You are not logged in", "Something went wrong; Plugboard says what. You can close this window."],
  unexpected: [
    "Nothing waits for this",
    "Plugboard has no login for which this is the answer, or it was given before.",
  ],
};

const STYLE =
  "body{font:1.1rem/1.5 system-ui,sans-serif;max-width:32rem;margin:20vh auto;padding:0 1.5rem}" +
  "@media(prefers-color-scheme:dark){body{background:#161616;color:#eee}}";

/** Resolves when it was sent, or can't be any more. */
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
  // That nobody is there to read it any more is all the same.
  await finished(response).catch(() => {});
}
