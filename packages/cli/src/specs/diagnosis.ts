/** The commands that show what happens, and what is wrong. */
import {
  configOptions,
  defineCommand,
  flag,
  hostOptions,
  optional,
  value,
  wholeNumber,
} from "../command-line/command-spec.ts";

const doctor = defineCommand({
  name: "doctor",
  summary: "find what is wrong with the servers and the setup, and say how to correct it",
  description:
    "Starts no server without --connect. The exit status is 1 if there is an error. The report of --bundle contains versions, the findings, masked definitions, states, the last log lines and the last activity.",
  options: {
    ...hostOptions,
    connect: flag("also connect all enabled servers"),
    bundle: value("file", "also write a report without secrets to this new file", { completes: "file" }),
  },
  examples: [{ line: "plugboard doctor --connect" }, { line: "plugboard doctor --bundle report.json" }],
  output: "doctor",
  run: async (input, cli) => (await import("../commands/diagnosis/run-doctor.ts")).runDoctor(input, cli),
});

const logs = defineCommand({
  name: "logs",
  summary: "show what a server, or all servers, print: stderr and log messages",
  description: "Works without a running host, and after a failed start. Secrets of the server's definition are masked.",
  arguments: {
    server: optional("the server; by default all, merged by time, with the server's name in each line", {
      completes: "server",
    }),
  },
  options: {
    ...configOptions,
    follow: flag("also show new lines, until Ctrl-C", { short: "f" }),
    lines: wholeNumber("number", "how many of the last lines to show, by default 100"),
  },
  examples: [
    { line: "plugboard logs" },
    { line: "plugboard logs github" },
    { line: "plugboard logs github -f --lines 10" },
  ],
  output: "logs",
  run: async (input, cli) => (await import("../commands/diagnosis/show-logs.ts")).showLogs(input, cli),
});

const activity = defineCommand({
  name: "activity",
  summary: "show the latest calls, decisions and changes, without arguments and results",
  options: {
    ...hostOptions,
    tail: flag("also show new entries of the running host, until Ctrl-C", { conflicts: ["private"] }),
    server: value("id", "show only the entries of this server", { completes: "server" }),
    limit: wholeNumber("number", "how many entries to show, by default 50", { min: 1 }),
    states: flag("also show each state of a server, such as connecting and ready"),
    stats: flag("show how many calls there were in the last hours and days, and how long they took", {
      conflicts: ["tail", "limit", "states"],
    }),
  },
  examples: [
    { line: "plugboard activity --server github --limit 10" },
    { line: "plugboard activity --tail --json", about: "prints one JSON object per line" },
    { line: "plugboard activity --stats --server github" },
  ],
  output: "activity",
  run: async (input, cli) => (await import("../commands/diagnosis/show-activity.ts")).showActivity(input, cli),
});

export const diagnosisCommands = [doctor, logs, activity];
