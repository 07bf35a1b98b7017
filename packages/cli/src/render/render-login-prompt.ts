/** Logins in words, while they are made. Never with what a login consists of: no code that came back, no token. */
import { parseUrl, sanitizeLine } from "@plugboard/contracts";
import type { LoginQuestion, LoginReason, LoginStep } from "@plugboard/contracts";
import type { OpenUrlResult } from "../terminal/cli-context.ts";
import { requesterName } from "./quote-untrusted.ts";
import type { Quoter } from "./quote-untrusted.ts";

/** A question in which the person must visit a page, or type a code there. */
export type LoginStepQuestion = LoginQuestion & { readonly step: LoginStep };

const REASONS: { readonly [R in LoginReason]: string } = {
  first: "wants you to log in",
  expired: "wants you to log in again: the login that there was no longer holds",
  scope: "wants you to grant more than you have granted so far",
};

/** Maximum rows of each text that the server sends about the login. */
const MAX_ROWS = 6;

/** Before anything is begun. */
export function renderLogin({ server, reason, account, issuer, scope }: LoginQuestion, quote: Quoter): string {
  const about = [
    ["account", account],
    ["you log in at", issuer],
    ["you would grant", scope],
  ].filter(([, value]) => value !== undefined);
  const lines = about.map(([name, value]) => quote(`${name}: ${sanitizeLine(value!)}`, MAX_ROWS));
  return `\n${requesterName({ server })} ${REASONS[reason]}.\n${lines.join("")}`;
}

/** The host is told apart: within an address it can be made to look like another. */
export function renderLoginStep({ server, account, step }: LoginStepQuestion): string {
  const host = parseUrl(step.url)?.host;
  const accountNote = account === undefined ? "" : ` (account ${account})`;
  const title = sanitizeLine(`Log in to ${server}${accountNote} at ${host || "an address without a host"}`);
  const url = `    ${sanitizeLine(step.url)}\n`;
  if (step.type === "browser") return `\n${title}:\n${url}`;
  const completeUrlLine =
    step.completeUrl === undefined ? "" : `  With the code in it: ${sanitizeLine(step.completeUrl)}\n`;
  return `\n${title}, in a browser on any machine:\n${url}  The code to type there: ${sanitizeLine(step.code)}\n${completeUrlLine}`;
}

export function renderOpenUrlResult(result: OpenUrlResult): string {
  if (result.opened) return "  The browser was opened.\n";
  return `  The browser could not be opened: ${sanitizeLine(result.reason)}. Open the address yourself.\n`;
}

/** Where no browser could be opened, and nobody can be asked for the address it ends at. */
export function renderLoginAlternatives({ server, deadline }: LoginStepQuestion): string {
  const command = `plugboard login ${sanitizeLine(server)}`;
  return `  Waiting for it until ${timeOfDay(deadline)}. Other ways: \`${command} --no-browser\`, \`${command} --device\`.\n`;
}

/** Of this machine, such as 14:05. */
function timeOfDay(at: number): string {
  const date = new Date(at);
  return [date.getHours(), date.getMinutes()].map((part) => String(part).padStart(2, "0")).join(":");
}

export function renderInvalidRedirect(problem: string): string {
  return `  That can't be it: ${sanitizeLine(problem)}.\n`;
}
