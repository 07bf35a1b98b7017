// @ts-check
/** Plugboard's engine with a server that is known to be legacy, so that the era is not detected again. */
import { connect, httpTarget, stdioTarget } from "./plugboard.mjs";

/**
 * @param {string} command
 * @param {readonly string[]} args
 */
export const connectStdio = (command, args) => connect(stdioTarget(command, args), "legacy");

/** @param {string} url */
export const connectHttp = (url) => connect(httpTarget(url), "legacy");
