/** Logins in words, while they are made. Never with what a login consists of: no code that came back, no token. */
import { parseUrl, sanitiseLine } from "@plugboard/contracts";
import type { LoginQuestion, LoginReason } from "@plugboard/contracts";
import type { OpenedUrl } from "../surroundings.ts";
import { askerOf } from "./quote.ts";
import type { Quote } from "./quote.ts";
import type { LoginStepQuestion } from "./show-login-step.ts";

const REASONS: { readonly [R in LoginReason]: string } = {
  first: "wants you to log in",
  expired: "wants you to log in again: the login that there was no longer holds",
  scope: "wants you to grant more than you have granted so far",
};

/** Maximum rows of each text that the server sends about the login. */
const MOST_ROWS = 6;

/** Before anything is begun. */
export function renderLogin({ server, reason, account, issuer, scope }: LoginQuestion, quote: Quote): string {
  const about = [
    ["account", account],
    ["you log in at", issuer],
    ["you would grant", scope],
  ].filter(([, value]) => value !== undefined);
  const lines = about.map(([name, value]) => quote(`${name}: ${sanitiseLine(value!)}`, MOST_ROWS));
  return `\n${askerOf({ server })} ${REASONS[reason]}.\n${lines.join("")}`;
}

/** The host is told apart: within an address it can be made to look like another. */
export function renderLoginStep({ server, account, step }: LoginStepQuestion): string {
  const host = parseUrl(step.url)?.host;
  const whose = account === undefined ? "" : ` (account ${account})`;
  const title = sanitiseLine(`Log in to ${server}${whose} at ${host || "an address without a host"}`);
  const url = `    ${sanitiseLine(step.url)}\n`;
  if (step.type === "browser") return `\n${title}:\n${url}`;
  const short = step.complete_url === undefined ? "" : `  With the code in it: ${sanitiseLine(step.complete_url)}\n`;
  return `\n${title}, in a browser on any machine:\n${url}  The code to type there: ${sanitiseLine(step.code)}\n${short}`;
}

export function renderBrowser(result: OpenedUrl): string {
  if (result.opened) return "  The browser was opened.\n";
  return `  The browser could not be opened: ${sanitiseLine(result.why)}. Open the address yourself.\n`;
}

/** Where no browser could be opened, and nobody can be asked for the address it ends at. */
export function renderOtherWays({ server, deadline }: LoginStepQuestion): string {
  const command = `plugboard login ${sanitiseLine(server)}`;
  return `  Waiting for it until ${timeOfDay(deadline)}. Other ways: \`${command} --no-browser\`, \`${command} --device\`.\n`;
}

/** Of this machine, such as 14:05. */
function timeOfDay(at: number): string {
  const date = new Date(at);
  return [date.getHours(), date.getMinutes()].map((part) => String(part).padStart(2, "0")).join(":");
}

export function renderWrongRedirect(why: string): string {
  return `  That can't be it: ${sanitiseLine(why)}.\n`;
}
