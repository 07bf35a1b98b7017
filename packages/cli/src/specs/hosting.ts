/** The commands that run the host and offer it to other programs. */
import { configOptions, defineCommand, flag, value, wholeNumber } from "../command-line/command-spec.ts";

const portOption = wholeNumber("number", "port on 127.0.0.1, by default 7431; 0 chooses a free one", { max: 65_535 });

const serve = defineCommand({
  name: "serve",
  summary: "run the host, which offers all servers as one MCP server over HTTP",
  description:
    "Prints its address at once, then a line for each server as it becomes ready or fails, and for each call, reload and problem. If a host is already running, opens its port, shows its events, and closes the port at the end.",
  options: {
    ...configOptions,
    port: portOption,
    host: value("address", "address to listen on, by default 127.0.0.1; others need `mcp.gateway.auth` in your config"),
    publicUrl: value("url", "https URL under which other machines reach the port, such as that of your reverse proxy"),
    detach: flag("run the host in the background, and return when it answers", { short: "d" }),
    quiet: flag("print only the address", { short: "q" }),
    background: flag("run without a port, and stop when unused; for `plugboard stdio`", { hidden: true }),
    service: flag("run for the service manager", { hidden: true }),
  },
  examples: [
    { line: "plugboard serve" },
    { line: "plugboard serve --detach", about: "runs it in the background; `plugboard stop` stops it" },
    { line: "plugboard serve --json", about: "prints the events of the host, one per line" },
    {
      line: "plugboard serve --public-url https://mcp.example.com",
      about: "serves clients of a reverse proxy, with OAuth",
    },
  ],
  output: "serve",
  run: async (input, cli) => (await import("../commands/hosting/serve.ts")).serve(input, cli),
});

const ui = defineCommand({
  name: "ui",
  summary: "open the page of the host in your browser; starts a host if none is running",
  description:
    "The link signs the browser in. It works once, for ten minutes; then the browser stays signed in until the host stops. In an SSH session, it also prints the link for a forwarded port. The page itself is always at the same address: that of the port.",
  options: {
    ...configOptions,
    port: portOption,
    noOpen: flag("print the link instead of opening it"),
  },
  examples: [
    { line: "plugboard ui" },
    { line: "plugboard ui --no-open", about: "prints the link, for another browser" },
    { line: "plugboard ui --port 8080", about: "the page is at http://127.0.0.1:8080" },
  ],
  output: "ui",
  run: async (input, cli) => (await import("../commands/hosting/open-page.ts")).openPage(input, cli),
});

const stop = defineCommand({
  name: "stop",
  summary: "stop the running host and its servers, and wait until they have ended",
  description: "Pending calls get two seconds to finish, and servers the time they need to stop.",
  options: { force: flag("do not wait for calls and servers, and kill a host that does not answer", { short: "f" }) },
  examples: [{ line: "plugboard stop" }],
  output: "stop",
  run: async (input, cli) => (await import("../commands/hosting/stop-host.ts")).stopHost(input, cli),
});

const restart = defineCommand({
  name: "restart",
  summary: "stop the running host, and start it in the background with the same port and folder",
  description: "Use it after an upgrade. A host that runs as a service is restarted by the service manager.",
  options: { force: flag("do not wait for calls and servers", { short: "f" }) },
  examples: [{ line: "plugboard restart" }],
  output: "restart",
  run: async (input, cli) => (await import("../commands/hosting/restart-host.ts")).restartHost(input, cli),
});

const dryRun = flag("show what would be done, and do nothing");

const serviceInstall = defineCommand({
  name: "service install",
  summary: "run the host when you log in to the computer: as a systemd user unit on Linux, as a launchd agent on macOS",
  description: "Shows the file and the commands first. The host offers the servers of your home folder.",
  options: { port: portOption, dryRun },
  examples: [{ line: "plugboard service install --dry-run" }, { line: "plugboard service install" }],
  output: "service-install",
  run: async (input, cli) => (await import("../commands/service/install-service.ts")).installService(input, cli),
});

const serviceUninstall = defineCommand({
  name: "service uninstall",
  summary: "stop the service, and remove its file",
  options: { dryRun },
  examples: [{ line: "plugboard service uninstall" }],
  output: "service-uninstall",
  run: async (input, cli) => (await import("../commands/service/uninstall-service.ts")).uninstallService(input, cli),
});

const serviceStatus = defineCommand({
  name: "service status",
  summary: "show whether the service is installed and running",
  examples: [{ line: "plugboard service status" }],
  output: "service-status",
  run: async (input, cli) => (await import("../commands/service/show-service-status.ts")).showServiceStatus(input, cli),
});

const purge = defineCommand({
  name: "purge",
  summary: "remove what Plugboard has stored on this machine, and its entries in other clients, after showing it",
  description:
    "Disconnects all clients and restores their files, removes the service, stops the host, and removes the state folder with your logins, secrets, tokens and chats, and the cache. Your config file and those of projects stay. If a step fails, the others are done, and the command lists what has failed.",
  options: {
    config: flag("remove your config file, too"),
    dryRun: flag("only show what would be removed"),
    yes: flag("remove it without asking", { conflicts: ["dryRun"] }),
  },
  examples: [
    { line: "plugboard purge --dry-run" },
    { line: "plugboard purge --config", about: "removes your config file, too" },
  ],
  output: "purge",
  run: async (input, cli) => (await import("../commands/hosting/purge.ts")).purge(input, cli),
});

const stdio = defineCommand({
  name: "stdio",
  summary: "offer all servers as one MCP server over stdin and stdout; starts a host if none is running",
  options: {
    ...configOptions,
    profile: value("name", "offer only the servers and tools of this profile"),
  },
  description: "`plugboard connect` writes this command to the config files of other clients.",
  examples: [
    { line: "claude mcp add plugboard -- plugboard stdio", about: "lets Claude Code use all your servers" },
    { line: "claude mcp add review -- plugboard stdio --profile review", about: "only those of the profile" },
  ],
  run: async (input, cli) => (await import("../commands/hosting/bridge-stdio.ts")).bridgeStdio(input, cli),
});

export const hostingCommands = [
  serve,
  ui,
  stop,
  restart,
  stdio,
  serviceInstall,
  serviceUninstall,
  serviceStatus,
  purge,
];
