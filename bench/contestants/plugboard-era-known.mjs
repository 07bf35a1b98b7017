// @ts-check
/** Our engine with a server it has met before: it remembers that it speaks the older protocol, and does not ask. */
import { connect, httpTarget, stdioTarget } from "./plugboard.mjs";

/**
 * @param {string} command
 * @param {readonly string[]} args
 */
export const connectStdio = (command, args) => connect(stdioTarget(command, args), "legacy");

/** @param {string} url */
export const connectHttp = (url) => connect(httpTarget(url), "legacy");
