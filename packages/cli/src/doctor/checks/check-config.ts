/** Reports every problem of the config files, with its place. */
import type { ConfigProblem } from "@plugboard/contracts";
import type { Check, Finding } from "./finding.ts";

export const checkConfig: Check = ({ files, problems, servers }) => {
  const found = problems.map(toFinding);
  if (problems.some(({ severity }) => severity === "error")) return found;
  if (files.length === 0) {
    const fix = "Add a server with `plugboard add`, or take over those of another client with `plugboard import`.";
    return [{ check: "config", severity: "warning", message: "There is no config file yet.", fix }];
  }
  const message = `The config is valid: ${count(servers.length, "server")} in ${count(files.length, "file")}.`;
  return [...found, { check: "config", severity: "ok", message }];
};

function toFinding({ severity, file, line, column, server, message }: ConfigProblem): Finding {
  const place = line === undefined ? file : `${file}:${line}:${column}`;
  return {
    check: "config",
    severity,
    ...(server !== undefined && { server }),
    message: `${place}: ${message}${/[.!?]$/.test(message) ? "" : "."}`,
    ...(severity === "error" && { fix: "Correct the file. `plugboard config validate` checks it again." }),
  };
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
