/** Renders the questions and steps of a login. Never shows an authorization code or a token. */
import { parseUrl, sanitizeLine } from "@plugboard/contracts";
import type { LoginQuestion, LoginReason, LoginStep } from "@plugboard/contracts";
import type { OpenUrlResult } from "@plugboard/mcp/process";
import { requesterName } from "../quote-untrusted.ts";
import type { Quoter } from "../quote-untrusted.ts";

/** A question in which the person must visit a page, or type a code there. */
export type LoginStepQuestion = LoginQuestion & { readonly step: LoginStep };

const REASONS: { readonly [R in LoginReason]: string } = {
  first: "wants you to log in",
  expired: "wants you to log in again, because your login has expired or was revoked",
  scope: "wants you to grant more permissions",
};

/** Maximum rows of each text that the server sends about the login. */
const MAX_ROWS = 6;

/** Asks whether to log in. */
export function renderLogin({ server, reason, account, issuer, scope }: LoginQuestion, quote: Quoter): string {
  const details = [
    ["account", account],
    ["you log in at", issuer],
    ["you would grant", scope],
  ].filter(([, value]) => value !== undefined);
  const lines = details.map(([name, value]) => quote(`${name}: ${sanitizeLine(value!)}`, MAX_ROWS));
  return `\n${requesterName({ server })} ${REASONS[reason]}.\n${lines.join("")}`;
}

/** Shows the host on its own, because a URL can be made to look like another site's. */
export function renderLoginStep({ server, account, step }: LoginStepQuestion): string {
  const host = parseUrl(step.url)?.host;
  const accountNote = account === undefined ? "" : ` (account ${account})`;
  const title = sanitizeLine(`Log in to ${server}${accountNote} at ${host || "a URL without a host"}`);
  const url = `    ${sanitizeLine(step.url)}\n`;
  if (step.type === "browser") return `\n${title}:\n${url}`;
  const completeUrlLine =
    step.completeUrl === undefined
      ? ""
      : `  Or open this URL, which contains the code: ${sanitizeLine(step.completeUrl)}\n`;
  return `\n${title}, in a browser on any device:\n${url}  Enter this code there: ${sanitizeLine(step.code)}\n${completeUrlLine}`;
}

export function renderOpenUrlResult(result: OpenUrlResult): string {
  if (result.opened) return "  The browser was opened.\n";
  return `  The browser could not be opened: ${sanitizeLine(result.reason)}. Open the URL yourself.\n`;
}

/** Names other ways to log in when the browser could not be opened and there is no terminal. */
export function renderLoginAlternatives({ server, deadline }: LoginStepQuestion): string {
  const command = `plugboard login ${sanitizeLine(server)}`;
  return `  Waiting for the login until ${timeOfDay(deadline)}. Other ways to log in: \`${command} --no-browser\`, \`${command} --device\`.\n`;
}

/** Returns the local time, such as 14:05. */
function timeOfDay(timestamp: number): string {
  const date = new Date(timestamp);
  return [date.getHours(), date.getMinutes()].map((part) => String(part).padStart(2, "0")).join(":");
}

export function renderInvalidRedirect(problem: string): string {
  return `  Not a valid redirect URL: ${sanitizeLine(problem)}.\n`;
}
