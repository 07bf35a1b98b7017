// @ts-check
/**
 * Writes docs/rights.md: who may do what, through which door. Generated from the table of rights, the methods and the
 * routes; a test fails if the file does not match.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { METHODS } from "../../packages/contracts/dist/api/methods/all-methods.js";
import { ALL_HOLDERS, HOLDERS } from "../../packages/contracts/dist/api/rights/holder.js";
import { grantOf, hasRight, RIGHTS } from "../../packages/contracts/dist/api/rights/rights.js";
import { ROUTES } from "../../packages/daemon/dist/http/routes.js";
import { APP_METHODS, APP_NOTIFICATIONS } from "../../packages/web/dist/apps/app-methods.js";
import { isProgram, root } from "../run.mjs";

/** @typedef {import("../../packages/contracts/dist/api/rights/holder.js").Holder} Holder */
/** @typedef {import("../../packages/contracts/dist/api/rights/rights.js").Right} Right */

export const rightsFile = join(root, "docs", "rights.md");

const SIGNS = { all: "yes", own: "own", none: "–" };
/** The holders that can open a channel, whose methods the second table lists. */
const CHANNEL_HOLDERS = ALL_HOLDERS.filter((holder) => hasRight(holder, "open_channel"));

/** @returns {string} */
export function rightsPage() {
  return `# Who may do what

Every request has a *holder*: who makes it, and through which door. This page is generated from the tables that the host checks
(\`contracts/src/api/rights\`, \`contracts/src/api/*/*-methods.ts\`, \`daemon/src/http/routes.ts\`). A method or a route without a right does not compile.

| holder | who |
|---|---|
${ALL_HOLDERS.map((holder) => `| \`${holder}\` | ${HOLDERS[holder]} |`).join("\n")}

## In short

**A client's token** uses the tools, resources and prompts of your servers at \`/mcp\`, or only those of its profile. A call that no rule allows or denies asks you. With
\`--may-approve\` such a call runs, because the client is expected to ask you. The client sees only its own calls and answers only its own questions; it can't use the control API.

**The owner's token alone**: a thief who has it and reaches the port could call every tool of your servers that no rule denies, with your logins, and answer questions, also those of
clients. The thief could use chats, read the journal, log in and out, and change secrets. The thief could not use the tools for files and commands, approve or add servers, change
config files, rules or tokens, open another folder, or stop the host. To replace the token, run \`plugboard stop\`, delete the file \`token\` in the
[state folder](decisions/state-on-disk.md), and start the host again.

**The page** is signed in with a one-time code from the socket, which \`plugboard ui\` gets. It may also use the tools for files and commands in chats, approve servers, and change config files, rules,
tokens and clients. It can't open other folders, stop the host, or read a registry with a private address that you have not set with \`PLUGBOARD_REGISTRY_URL\`.

**An App** reaches only its own server, through the page. Its calls are decided by the rules and, without a rule, by your answer. It sees no other servers, calls or questions.

The rows of \`chat\`, such as \`add_servers\`, are for the program that runs the conversation, not for its model: the model can only call tools.

## Rights

*own*: only its own calls and questions; for an App, only its own server. A client uses the gateway under the rules of its profile; what its calls may do is decided by the
[permissions](config.md#permissions). \`/metrics\` counts the calls of all clients for each tool, so \`read_metrics\` shows more than the *own* of \`see_calls\`.

${table(["right", "lets the holder", ...ALL_HOLDERS.map(code)], rightNames().map(rightRow))}

## Methods of the control API

Methods are called on a [channel](control-api.md). Only these holders can open one.

${table(["method", "right", ...CHANNEL_HOLDERS.map(code)], Object.entries(METHODS).map(methodRow))}

## Messages of an App

An App speaks only to the page, which refuses every other message (\`web/src/apps/app-methods.ts\`). *policy*: as for a call of the user, by the rules and a
question. *asks*: the user agrees each time.

${table(["message", "what it may do", "where", "decision"], [...Object.entries(APP_METHODS).map(appRow), ...Object.entries(APP_NOTIFICATIONS).map(appNotificationRow)])}

## Routes

The body of a request may have at most this many bytes. Where a time is given, it must arrive within it.

${table(["listener", "route", "right", "names", "body", "without a token"], Object.values(ROUTES).map(routeRow))}
`;
}

/** @returns {Right[]} */
function rightNames() {
  return /** @type {Right[]} */ (Object.keys(RIGHTS));
}

/** @param {Right} right */
function rightRow(right) {
  return [code(right), RIGHTS[right].allows, ...ALL_HOLDERS.map((holder) => SIGNS[grantOf(holder, right)])];
}

/** @param {[string, import("../../packages/contracts/dist/api/methods/method-spec.js").MethodSpec]} method */
function methodRow([path, { right, more = [] }]) {
  const further = more.map((one) => `; ${one.when}: ${code(one.right)}`).join("");
  return [code(path), code(right) + further, ...CHANNEL_HOLDERS.map((holder) => SIGNS[grantOf(holder, right)])];
}

/** @param {[string, { what: string, where: string, rule: string }]} method */
function appRow([method, { what, where, rule }]) {
  return [code(method), what, where, rule];
}

/** @param {[string, { what: string }]} notification */
function appNotificationRow([method, { what }]) {
  return appRow([method, { what, where: "everywhere", rule: "allowed" }]);
}

/** @param {import("../../packages/daemon/dist/http/routes.js").Route} route */
function routeRow({ listener, name, right, localOnly, body }) {
  const within = body.withinMs === undefined ? "" : `, ${body.withinMs / 1000} s`;
  const names = listener === "socket" ? "–" : localOnly ? "local" : "local, public";
  return [
    listener,
    code(name),
    code(right),
    names,
    body.maxBytes === 0 ? "not read" : `${body.maxBytes.toLocaleString("en-US")}${within}`,
    SIGNS[grantOf("stranger", right)],
  ];
}

/** @param {string} text */
function code(text) {
  return `\`${text}\``;
}

/**
 * @param {readonly string[]} head
 * @param {readonly (readonly string[])[]} rows
 */
function table(head, rows) {
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

if (isProgram(import.meta.url)) writeFileSync(rightsFile, rightsPage());
