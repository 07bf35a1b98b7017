/** The commands for the tokens that MCP clients send to `plugboard serve`. */
import { defineCommand, flag, required, value } from "../command-line/command-spec.ts";

const name = required("the name of the token, such as the client that uses it");

const tokenShow = defineCommand({
  name: "token show",
  aliases: ["token"],
  summary: "print the owner's token, which calls every tool and uses the control API",
  description: "Keep it secret. docs/rights.md lists what a program with this token may do.",
  examples: [{ line: "plugboard token show" }],
  output: "token-show",
  run: async (input, cli) => (await import("../commands/tokens/show-token.ts")).showToken(input, cli),
});

const tokenCreate = defineCommand({
  name: "token create",
  summary: "create a token for one client, and print it once",
  description:
    "The client may use the tools, but not control the host. Calls that no rule allows or denies ask you, unless it may approve.",
  arguments: { name },
  options: {
    profile: value("name", "the only profile that the client may use, by default all servers"),
    mayApprove: flag("run calls that no rule mentions without a question: the client asks you itself"),
  },
  examples: [
    { line: "plugboard token create cursor" },
    { line: "plugboard token create ci --profile review", about: "offers the client only the tools of a profile" },
    {
      line: "plugboard token create editor --may-approve",
      about: "for a client that asks you itself before its calls",
    },
  ],
  output: "token-create",
  run: async (input, cli) => (await import("../commands/tokens/create-token.ts")).createToken(input, cli),
});

const tokenList = defineCommand({
  name: "token list",
  summary: "list the names of client tokens",
  examples: [{ line: "plugboard token list" }],
  output: "token-list",
  run: async (input, cli) => (await import("../commands/tokens/list-tokens.ts")).listTokens(input, cli),
});

const tokenRevoke = defineCommand({
  name: "token revoke",
  summary: "revoke the token of a client; a running host ends its sessions at once",
  arguments: { name },
  examples: [{ line: "plugboard token revoke cursor" }],
  output: "token-revoke",
  run: async (input, cli) => (await import("../commands/tokens/revoke-token.ts")).revokeToken(input, cli),
});

export const tokenCommands = [tokenShow, tokenCreate, tokenList, tokenRevoke];
