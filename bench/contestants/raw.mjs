// @ts-check
import { openStdio } from "../raw/stdio-client.mjs";

export const connectStdio = openStdio;

/** @param {string} url */
export async function connectHttp(url) {
  const { openHttp } = await import("../raw/http-client.mjs");
  return openHttp(url);
}
