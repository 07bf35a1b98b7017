// @ts-check
import { openHttp } from "../raw/http-client.mjs";
import { openStdio } from "../raw/stdio-client.mjs";

export const connectStdio = openStdio;
export const connectHttp = openHttp;
