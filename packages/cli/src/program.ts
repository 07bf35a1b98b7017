/** The commands and their options. What a command does is in `commands/`. */
import { VERSION } from "@plugboard/host";
import { Argument, Command, InvalidArgumentError, Option } from "commander";
import { listLogins, setLoginBackend } from "./commands/auth.ts";
import { callTool } from "./commands/call.ts";
import type { CallCommandOptions } from "./commands/call.ts";
import { listServers } from "./commands/list.ts";
import type { LoginCommandOptions } from "./commands/login.ts";
import { logIn } from "./commands/login.ts";
import { logOut } from "./commands/logout.ts";
import type { ServeOptions } from "./commands/serve.ts";
import { showStatus } from "./commands/status.ts";
import { showTools } from "./commands/tools.ts";
import { trustServer } from "./commands/trust.ts";
import { renderHelp } from "./render/render-help.ts";
import type { CliContext } from "./terminal/cli-context.ts";

const DEFAULT_PORT = 7431;

/** `done` is told the exit status of the command. Throws a `CommanderError` for what can't be parsed, having printed nothing. */
export function makeProgram(cli: CliContext, setExitStatus: (status: number) => void): Command {
  const { stdout, stderr, env } = cli;
  const program = new Command("plugboard")
    .description("One host for every MCP server.")
    .version(VERSION)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
      outputError: () => {},
    })
    .addHelpText("after", renderHelp(env));
  // What is common to the commands may stand before them too; their own help shows it.
  for (const option of [...sharedOptions(), ...commonOptions()]) program.addOption(option.hideHelp());

  addCommonOptions(program.command("list"))
    .description("show the configured servers; starts nothing")
    .action(async (_, command: Command) => setExitStatus(await listServers(parsedOptions(command), cli)));

  addCommonOptions(program.command("status"))
    .description("show the state of the servers, or everything about one; starts nothing unless told to")
    .argument("[server]", "show everything about this one")
    .option("--connect", "connect every enabled server first, or the one that is named")
    .action(async (server: string | undefined, _, command: Command) =>
      setExitStatus(await showStatus(server, parsedOptions(command), cli)),
    );

  addCommonOptions(program.command("trust"))
    .description("show what this project's files define and you have not agreed to; with a server, agree to it")
    .argument("[server]", "agree to this one, as it is shown")
    .option("--yes", "don't ask: what the files say now is agreed to")
    .option("--revoke", "take the consent back")
    .action(async (server: string | undefined, _, command: Command) =>
      setExitStatus(await trustServer(server, parsedOptions(command), cli)),
    );

  addCommonOptions(program.command("login"))
    .description("log in at a server: in the browser, which is opened")
    .argument("<server>")
    .option("--no-browser", "don't open it: the address is printed, and the one it ends at is read")
    .addOption(new Option("--device", "with a code, which is typed into a page on any machine").conflicts("browser"))
    .action(async (server: string, _, command: Command) =>
      setExitStatus(await logIn(server, parsedOptions(command), cli)),
    );

  addCommonOptions(program.command("logout"))
    .description("give up the login at a server")
    .argument("<server>", "also one that is not configured any more, as `auth list` calls it")
    .action(async (server: string, _, command: Command) =>
      setExitStatus(await logOut(server, parsedOptions(command), cli)),
    );

  const auth = program.command("auth").description("the logins that are kept, and where");
  addCommonOptions(auth.command("list"))
    .description("show the logins of all servers")
    .action(async (_, command: Command) => setExitStatus(await listLogins(parsedOptions(command), cli)));
  addCommonOptions(auth.command("store"))
    .description("keep the logins elsewhere from now on")
    .addArgument(
      new Argument("<where>", "encrypted with a key in the keyring, or in a file").choices(["keyring", "file"]),
    )
    .action(async (where: "keyring" | "file", _, command: Command) =>
      setExitStatus(await setLoginBackend(where, parsedOptions(command), cli)),
    );

  addCommonOptions(program.command("tools"))
    .description("show what the servers offer, or everything about one tool")
    .argument("[server or tool]", "a server, `server:tool`, or the name that models see")
    .action(async (what: string | undefined, _, command: Command) =>
      setExitStatus(await showTools(what, parsedOptions(command), cli)),
    );

  addCommonOptions(program.command("call"))
    .description("call a tool: plugboard call files:read_file path=notes.md")
    .argument("<server:tool>", "or the name that models see")
    .argument("[name=value...]", "arguments of the tool; a list may be given one element at a time")
    .option("--args <json>", "arguments as one JSON object; @file reads a file, - reads stdin")
    .option("--output <folder>", "save images and other binary content as files there")
    .action(async (tool: string, pairs: string[], _, command: Command) =>
      setExitStatus(await callTool(tool, pairs, parsedOptions(command), cli)),
    );

  addSharedOptions(program.command("serve"))
    .description("run the host: all servers as one MCP server, for every client")
    .option("--port <number>", "where to listen on 127.0.0.1; 0 chooses a free one", parsePort, DEFAULT_PORT)
    .addOption(new Option("--background", "as started by `stdio`: no port, ends when nobody uses it").hideHelp())
    .action(async (_, command: Command) => {
      // The daemon is most of what there is to load; no other command pays for it.
      const { serve } = await import("./commands/serve.ts");
      setExitStatus(await serve(parsedOptions(command), cli));
    });

  addSharedOptions(program.command("stdio"))
    .description("the same for clients that launch a command; starts the host if none is running")
    .action(async (_, command: Command) => {
      const { bridgeStdio } = await import("./commands/stdio.ts");
      setExitStatus(await bridgeStdio(parsedOptions(command), cli));
    });

  program
    .command("token")
    .description("print the token that clients send to the gateway")
    .action(async () => {
      const { printToken } = await import("./commands/token.ts");
      setExitStatus(await printToken(cli));
    });

  return program;
}

function addSharedOptions(command: Command): Command {
  for (const option of sharedOptions()) command.addOption(option);
  return command;
}

function addCommonOptions(command: Command): Command {
  for (const option of [...sharedOptions(), ...commonOptions()]) command.addOption(option);
  return command;
}

function sharedOptions(): Option[] {
  return [
    new Option("--config <file>", "read this config file too (repeatable)").argParser(collect),
    new Option("--mcp-server <id=command or URL>", "add a server for this invocation (repeatable)").argParser(collect),
  ];
}

function commonOptions(): Option[] {
  return [new Option("--json", "print JSON"), new Option("--private", "use a host of its own, even if one is running")];
}

type ParsedOptions = CallCommandOptions &
  LoginCommandOptions &
  ServeOptions & { readonly connect?: boolean; readonly revoke?: boolean };

/** The options of a command, wherever on the line they stand. */
function parsedOptions(command: Command): ParsedOptions {
  return { config: [], mcpServer: [], port: DEFAULT_PORT, ...command.optsWithGlobals<Partial<ParsedOptions>>() };
}

function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError("It must be a number from 0 to 65535.");
}

function collect(value: string, previous: string[] = []): string[] {
  return [...previous, value];
}
