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
  // These options may also precede the command's name. Only the help of the commands shows them.
  for (const option of commandOptions()) program.addOption(option.hideHelp());

  addCommandOptions(program.command("list"))
    .description("show the configured servers, without starting them")
    .action(async (_, command: Command) => setExitStatus(await listServers(parsedOptions(command), cli)));

  addCommandOptions(program.command("status"))
    .description("show the state of all servers, or the details of one; starts no server without --connect")
    .argument("[server]", "show the details of this server")
    .option("--connect", "first connect the given server, or all enabled servers")
    .action(async (server: string | undefined, _, command: Command) =>
      setExitStatus(await showStatus(server, parsedOptions(command), cli)),
    );

  addCommandOptions(program.command("trust"))
    .description("list the servers of this project that need your approval, or approve one")
    .argument("[server]", "show the definition of this server, and ask whether to approve it")
    .option("--yes", "approve the server without asking")
    .option("--revoke", "withdraw your approval of the server")
    .action(async (server: string | undefined, _, command: Command) =>
      setExitStatus(await trustServer(server, parsedOptions(command), cli)),
    );

  addCommandOptions(program.command("login"))
    .description("log in to a server in the browser")
    .argument("<server>", "the server's id")
    .option("--no-browser", "print the login URL instead of opening it, and read the redirect URL that you paste")
    .addOption(
      new Option("--device", "log in with a code that you enter on a web page, on any device").conflicts("browser"),
    )
    .action(async (server: string, _, command: Command) =>
      setExitStatus(await logIn(server, parsedOptions(command), cli)),
    );

  addCommandOptions(program.command("logout"))
    .description("log out of a server: revoke and delete its login")
    .argument("<server>", "the server's id, or its name in `plugboard auth list` if it is no longer configured")
    .action(async (server: string, _, command: Command) =>
      setExitStatus(await logOut(server, parsedOptions(command), cli)),
    );

  const auth = program.command("auth").description("list stored logins, or choose where to store them");
  addCommandOptions(auth.command("list"))
    .description("list the stored logins of all servers")
    .action(async (_, command: Command) => setExitStatus(await listLogins(parsedOptions(command), cli)));
  addCommandOptions(auth.command("store"))
    .description("choose where to store logins")
    .addArgument(
      new Argument(
        "<where>",
        "keyring: encrypted with a key in the system keyring; file: unencrypted, readable only by you",
      ).choices(["keyring", "file"]),
    )
    .action(async (backend: "keyring" | "file", _, command: Command) =>
      setExitStatus(await setLoginBackend(backend, parsedOptions(command), cli)),
    );

  addCommandOptions(program.command("tools"))
    .description("list the tools of all servers or of one, or show the details of one tool")
    .argument("[server or tool]", "a server's id, a tool as `server:tool`, or a tool's name as models see it")
    .action(async (serverOrTool: string | undefined, _, command: Command) =>
      setExitStatus(await showTools(serverOrTool, parsedOptions(command), cli)),
    );

  addCommandOptions(program.command("call"))
    .description("call a tool, for example: plugboard call files:read_text_file path=notes.md")
    .argument("<server:tool>", "the server's id and the tool, or the tool's name as models see it")
    .argument("[name=value...]", "arguments of the tool; for a list, repeat name=value for each element")
    .option("--args <json>", "arguments as one JSON object; @file reads it from a file, - from stdin")
    .option("--output <folder>", "save images and other binary content as files in this folder")
    .action(async (tool: string, pairs: string[], _, command: Command) =>
      setExitStatus(await callTool(tool, pairs, parsedOptions(command), cli)),
    );

  addConfigOptions(program.command("serve"))
    .description("run the host, which offers all servers as one MCP server over HTTP")
    .option("--port <number>", "port on 127.0.0.1; 0 chooses a free one", parsePort, DEFAULT_PORT)
    .addOption(new Option("--background", "run without a port, and stop when unused; for `plugboard stdio`").hideHelp())
    .action(async (_, command: Command) => {
      // Loaded here, because the daemon takes long to load and no other command needs it.
      const { serve } = await import("./commands/serve.ts");
      setExitStatus(await serve(parsedOptions(command), cli));
    });

  addConfigOptions(program.command("stdio"))
    .description("offer all servers as one MCP server over stdin and stdout; starts a host if none is running")
    .action(async (_, command: Command) => {
      const { bridgeStdio } = await import("./commands/stdio.ts");
      setExitStatus(await bridgeStdio(parsedOptions(command), cli));
    });

  program
    .command("token")
    .description("print the token that MCP clients of `plugboard serve` must send")
    .action(async () => {
      const { printToken } = await import("./commands/token.ts");
      setExitStatus(await printToken(cli));
    });

  return program;
}

function addConfigOptions(command: Command): Command {
  for (const option of configOptions()) command.addOption(option);
  return command;
}

function addCommandOptions(command: Command): Command {
  for (const option of commandOptions()) command.addOption(option);
  return command;
}

function configOptions(): Option[] {
  return [
    new Option("--config <file>", "also read this config file (repeatable)").argParser(collect),
    new Option("--mcp-server <id=command or URL>", "add a server for this command only (repeatable)").argParser(
      collect,
    ),
  ];
}

function commandOptions(): Option[] {
  return [
    ...configOptions(),
    new Option("--json", "print the output as JSON"),
    new Option("--private", "start a host for this command only, even if one is running"),
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
