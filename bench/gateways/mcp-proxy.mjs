// @ts-check
/** Starts mcp-proxy once for each server. */
import { join } from "node:path";
import { installed } from "../commands/command.mjs";
import { folder } from "../install.mjs";
import { oneForEach } from "./gateway.mjs";

const { script } = installed(join(folder, "node_modules", "mcp-proxy"), "mcp-proxy");

/** @type {import("./gateway.mjs").Gateway["start"]} */
export const start = (home, servers) =>
  oneForEach(home, servers, ({ command, args }, port) => ({
    args: [script, "--port", String(port), "--host", "127.0.0.1", "--server", "stream", "--", command, ...args],
    url: `http://127.0.0.1:${port}/mcp`,
  }));
