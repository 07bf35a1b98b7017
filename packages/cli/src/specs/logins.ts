/** The commands that manage logins. */
import { choice, defineCommand, flag, hostOptions, required } from "../command-line/command-spec.ts";

const login = defineCommand({
  name: "login",
  summary: "log in to a server in the browser",
  arguments: { server: required("the server's id", { completes: "server" }) },
  options: {
    ...hostOptions,
    noBrowser: flag("print the login URL instead of opening it, and read the redirect URL that you paste"),
    device: flag("log in with a code that you enter on a web page, on any device", { conflicts: ["noBrowser"] }),
  },
  examples: [{ line: "plugboard login notion" }, { line: "plugboard login notion --device" }],
  output: "login",
  run: async (input, cli) => (await import("../commands/logins/log-in.ts")).logIn(input, cli),
});

const logout = defineCommand({
  name: "logout",
  summary: "log out of a server: revoke and delete its login",
  arguments: {
    server: required("the server's id, or its name in `plugboard auth list` if it is no longer configured", {
      completes: "server",
    }),
  },
  options: hostOptions,
  examples: [{ line: "plugboard logout notion" }],
  output: "logout",
  run: async (input, cli) => (await import("../commands/logins/log-out.ts")).logOut(input, cli),
});

const authList = defineCommand({
  name: "auth list",
  summary: "list the stored logins of all servers",
  options: hostOptions,
  examples: [{ line: "plugboard auth list" }],
  output: "auth-list",
  run: async (input, cli) => (await import("../commands/logins/auth.ts")).listLogins(input, cli),
});

const authStore = defineCommand({
  name: "auth store",
  summary: "choose where to store logins and secrets",
  arguments: {
    backend: choice(
      ["keyring", "file"],
      "keyring: encrypted with a key in the system keyring; file: unencrypted, readable only by you",
      { label: "keyring|file" },
    ),
  },
  options: hostOptions,
  examples: [{ line: "plugboard auth store keyring" }],
  output: "auth-list",
  run: async (input, cli) => (await import("../commands/logins/auth.ts")).setLoginBackend(input, cli),
});

export const loginCommands = [login, logout, authList, authStore];
