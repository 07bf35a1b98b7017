// @ts-check
/** Starts supergateway once for each server, with sessions. Without sessions, it starts a server for every request. */
import { join } from "node:path";
import { installed } from "../commands/command.mjs";
import { folder } from "../install.mjs";
import { oneForEach } from "./gateway.mjs";

const { script } = installed(join(folder, "node_modules", "supergateway"), "supergateway");

/** @type {import("./gateway.mjs").Gateway["start"]} */
export const start = (home, servers) =>
  oneForEach(home, servers, ({ command, args }, port) => ({
    args: [
      script,
      ...["--stdio", [command, ...args].join(" "), "--outputTransport", "streamableHttp", "--stateful"],
      ...["--port", String(port), "--logLevel", "none"],
    ],
    url: `http://127.0.0.1:${port}/mcp`,
  }));
