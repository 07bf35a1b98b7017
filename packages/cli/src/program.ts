/** Defines the commands and their options. `commands/` implements them. */
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

/** Calls `setExitStatus` when a command ends. Parsing throws a `CommanderError` for an invalid command line. */
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
  // Options of all commands may also precede the command. Only the help of the commands shows them.
  for (const option of [...sharedOptions(), ...commonOptions()]) program.addOption(option.hideHelp());

  addCommonOptions(program.command("list"))
    .description("show the configured servers; starts nothing")
    .action(async (_, command: Command) => setExitStatus(await listServers(parsedOptions(command), cli)));

  addCommonOptions(program.command("status"))
    .description("show the state of all servers, or the details of one; starts nothing without --connect")
    .argument("[server]", "show the details of this server")
    .option("--connect", "connect all enabled servers first, or the given server")
    .action(async (server: string | undefined, _, command: Command) =>
      setExitStatus(await showStatus(server, parsedOptions(command), cli)),
    );

  addCommonOptions(program.command("trust"))
    .description("list the servers that this project defines and you have not approved, or approve one")
    .argument("[server]", "show the definition of this server and ask you to approve it")
    .option("--yes", "approve without asking")
    .option("--revoke", "withdraw your approval")
    .action(async (server: string | undefined, _, command: Command) =>
      setExitStatus(await trustServer(server, parsedOptions(command), cli)),
    );

  addCommonOptions(program.command("login"))
    .description("log in to a server; opens the browser")
    .argument("<server>")
    .option("--no-browser", "print the login URL instead of opening it, and read the redirect URL that you paste")
    .addOption(new Option("--device", "show a code that you enter on a web page, on any device").conflicts("browser"))
    .action(async (server: string, _, command: Command) =>
      setExitStatus(await logIn(server, parsedOptions(command), cli)),
    );

  addCommonOptions(program.command("logout"))
    .description("log out of a server: revoke and delete its login")
    .argument("<server>", "the server's id, or its name in `plugboard auth list` if it is no longer configured")
    .action(async (server: string, _, command: Command) =>
      setExitStatus(await logOut(server, parsedOptions(command), cli)),
    );

  const auth = program.command("auth").description("list stored logins, or choose where to store them");
  addCommonOptions(auth.command("list"))
    .description("list the stored logins of all servers")
    .action(async (_, command: Command) => setExitStatus(await listLogins(parsedOptions(command), cli)));
  addCommonOptions(auth.command("store"))
    .description("choose where to store logins")
    .addArgument(
      new Argument(
        "<where>",
        "keyring: encrypted with a key in the system keyring; file: unencrypted, readable only by you",
      ).choices(["keyring", "file"]),
    )
    .action(async (where: "keyring" | "file", _, command: Command) =>
      setExitStatus(await setLoginBackend(where, parsedOptions(command), cli)),
    );

  addCommonOptions(program.command("tools"))
    .description("list the tools of all servers or of one, or show the details of one tool")
    .argument("[server or tool]", "a server, `server:tool`, or the tool's name as models see it")
    .action(async (what: string | undefined, _, command: Command) =>
      setExitStatus(await showTools(what, parsedOptions(command), cli)),
    );

  addCommonOptions(program.command("call"))
    .description("call a tool, for example: plugboard call files:read_file path=notes.md")
    .argument("<server:tool>", "the tool, or its name as models see it")
    .argument("[name=value...]", "arguments of the tool; for a list, repeat name=value for each element")
    .option("--args <json>", "arguments as one JSON object; @file reads a file, - reads stdin")
    .option("--output <folder>", "save images and other binary content as files in this folder")
    .action(async (tool: string, pairs: string[], _, command: Command) =>
      setExitStatus(await callTool(tool, pairs, parsedOptions(command), cli)),
    );

  addSharedOptions(program.command("serve"))
    .description("run the host: offer all servers as one MCP server over HTTP")
    .option("--port <number>", "port on 127.0.0.1; 0 chooses a free one", parsePort, DEFAULT_PORT)
    .addOption(new Option("--background", "run without a port, and stop when unused; for `plugboard stdio`").hideHelp())
    .action(async (_, command: Command) => {
      // Loaded here, because the daemon takes long to load and no other command needs it.
      const { serve } = await import("./commands/serve.ts");
      setExitStatus(await serve(parsedOptions(command), cli));
    });

  addSharedOptions(program.command("stdio"))
    .description("offer all servers as one MCP server over stdin and stdout; starts the host if none is running")
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
    new Option("--config <file>", "also read this config file (repeatable)").argParser(collect),
    new Option("--mcp-server <id=command or URL>", "add a server for this invocation (repeatable)").argParser(collect),
  ];
}

function commonOptions(): Option[] {
  return [
    new Option("--json", "print JSON"),
    new Option("--private", "use a separate host for this command, even if one is running"),
  ];
}

type ParsedOptions = CallCommandOptions &
  LoginCommandOptions &
  ServeOptions & { readonly connect?: boolean; readonly revoke?: boolean };

/** Returns the options of a command, including those before its name. */
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
