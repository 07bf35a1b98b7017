/** The commands that run the host and offer it to other programs. */
import { configOptions, defineCommand, flag, wholeNumber } from "../command-line/command-spec.ts";

const serve = defineCommand({
  name: "serve",
  summary: "run the host, which offers all servers as one MCP server over HTTP",
  options: {
    ...configOptions,
    port: wholeNumber("number", "port on 127.0.0.1, by default 7431; 0 chooses a free one", { max: 65_535 }),
    background: flag("run without a port, and stop when unused; for `plugboard stdio`", { hidden: true }),
  },
  examples: [{ line: "plugboard serve" }],
  run: async (input, cli) => (await import("../commands/hosting/serve.ts")).serve(input, cli),
});

const stdio = defineCommand({
  name: "stdio",
  summary: "offer all servers as one MCP server over stdin and stdout; starts a host if none is running",
  options: configOptions,
  examples: [{ line: "claude mcp add plugboard -- plugboard stdio", about: "lets Claude Code use all your servers" }],
  run: async (input, cli) => (await import("../commands/hosting/stdio.ts")).bridgeStdio(input, cli),
});

const token = defineCommand({
  name: "token",
  summary: "print the token that MCP clients of `plugboard serve` must send",
  examples: [{ line: "plugboard token" }],
  output: "token",
  run: async (input, cli) => (await import("../commands/hosting/token.ts")).printToken(input, cli),
});

export const hostingCommands = [serve, stdio, token];
