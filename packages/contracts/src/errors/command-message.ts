/**
 * The message of an error for people at the command line.
 * `HostError.message` names no command, because a program that embeds a host may have none.
 */
import type { ErrorDetails, HostErrorCode } from "./error-details.ts";
import { definitionRemedy, ERROR_TABLE, logsHint, OWN_LOGIN, UNKNOWN_EFFECT } from "./error-table.ts";
import type { ErrorRow } from "./error-table.ts";

/** Says what happened, and what to do at the command line. */
export function commandMessage<Code extends HostErrorCode>(error: {
  readonly code: Code;
  readonly details: ErrorDetails[Code];
}): string {
  const row: ErrorRow<ErrorDetails[Code]> = ERROR_TABLE[error.code];
  const remedy = COMMAND_REMEDIES[error.code] ?? row.remedy;
  const advice = typeof remedy === "string" ? remedy : remedy(error.details);
  return [row.say(error.details), advice, logsHint(error.details)].filter((part) => part !== "").join(" ");
}

type CommandRemedies = { readonly [C in HostErrorCode]?: ErrorRow<ErrorDetails[C]>["remedy"] };

/** What to do at the command line, for codes where it differs from the remedy of the error table. */
export const COMMAND_REMEDIES: CommandRemedies = {
  SERVER_INVALID: (d) =>
    d.missingSecret === undefined
      ? definitionRemedy(d)
      : `Run \`plugboard secret set ${d.missingSecret}\` to store it.`,
  USAGE: (d) => (d.omitHelp ? "" : `See \`plugboard ${d.command === undefined ? "" : `${d.command} `}--help\`.`),
  SERVER_UNKNOWN: "`plugboard list` shows the configured servers.",
  SERVER_DISABLED: (d) => `Run \`plugboard enable ${d.server}\` to enable it.`,
  SERVER_EXISTS: "Add `--replace` to overwrite it, or choose another id.",
  SERVER_UNTRUSTED: (d) =>
    `Run \`plugboard trust\` to see what it would run or call, and \`plugboard trust ${d.server}\` to approve it.`,
  SERVER_CRASHED: (d) => {
    const retry = `To try again at once, run \`plugboard status ${d.server} --connect\`.`;
    const effect = d.starting ? `\`plugboard test ${d.server}\` shows how it starts.` : UNKNOWN_EFFECT;
    return d.failures === undefined ? effect : `${retry} ${effect}`;
  },
  CONNECTION_CLOSED: (d) => `Run \`plugboard status ${d.server} --connect\` to connect it again.`,
  AUTH_REQUIRED: (d) =>
    d.configured
      ? "Correct the key or token in its definition, under `auth` or `headers`."
      : d.own
        ? OWN_LOGIN
        : `Run \`plugboard login ${d.server}\`, or set a key under \`auth\` or \`headers\` in its definition.`,
  LOGIN_FAILED: (d) =>
    d.own ? OWN_LOGIN : `Stored logins are unchanged. Run \`plugboard login ${d.server}\` to try again.`,
  KEYRING_UNAVAILABLE:
    "Nothing was changed. Unlock the keyring and try again, or run `plugboard auth store file` to store logins and secrets without it.",
  REGISTRY_UNREACHABLE: "Check your network connection, or choose another registry with `--registry`.",
  TOOL_NOT_FOUND: (d) =>
    d.tool.includes(":")
      ? `\`plugboard tools ${d.tool.slice(0, d.tool.indexOf(":"))}\` lists the tools of the server.`
      : "`plugboard tools` lists the tools of all servers.",
  REQUEST_TIMEOUT: (d) =>
    `If it needs more time, raise ${d.byCaller ? "`--timeout`" : `the \`request_timeout_ms\` of ${d.server}`}.`,
  INVALID_ARGUMENTS: (d) =>
    `${d.signature === undefined ? "" : `Its arguments: ${d.signature}. `}\`plugboard tools ${d.tool ?? "<server:tool>"}\` explains ${d.tool === undefined ? "the arguments of a tool" : "them"}.`,
  NOBODY_TO_ASK: (d) => {
    const lasting = d.rule === undefined ? allowAdvice(`${d.server}:${d.tool}`) : "change the rule";
    // A model reads this text. It names the user, so that the model does not take it as its own task.
    if (d.inbox)
      return `To answer, the user can run \`plugboard inbox --watch\` in a terminal before you call again. To allow it for good, the user can ${lasting}. If the client itself asks before its calls, the user can give it a token of \`plugboard token create <name> --may-approve\`: Plugboard then asks only if a rule says \`ask\`, in the client if it supports forms.`;
    if (d.option === undefined) return `To allow it, ${lasting}.`;
    return `Run the command in a terminal, or with \`${d.option}\` to allow this call. To allow it for good, ${lasting}.`;
  },
  MODEL_NOT_SET:
    "Choose one with `--model provider/model`, `model` in your config file, or the variable `PLUGBOARD_MODEL`: `anthropic/…` with a key in `ANTHROPIC_API_KEY`, `openai/…` with a key in `OPENAI_API_KEY`, or `ollama/…` without a key. All other commands work without a model.",
  MODEL_KEY_MISSING: (d) => `Set \`${d.variable}\`, or run \`plugboard secret set ${d.variable}\`.`,
  TURN_INCOMPLETE: (d) =>
    d.chat !== undefined && (d.reason === "step_limit" || d.reason === "token_limit")
      ? `To continue, run \`plugboard run --resume ${d.chat} "Continue"\`.`
      : TURN_REMEDIES[d.reason],
  HOST_RUNNING: "Commands use it automatically. To start another one, run `plugboard stop` first.",
  HOST_SERVING: "Use that address, or run `plugboard stop` first.",
  HOST_NOT_STOPPED: "Wait, or run `plugboard stop --force`.",
  VERSION_SKEW: "Run `plugboard restart`, so that the host has the version of this command.",
  PORT_TAKEN: "Stop the program that uses it, or choose another port with `--port`.",
  HOST_NOT_RESPONDING:
    "It may be suspended or overloaded. Wait, end it with `plugboard stop --force`, or run the command with `--private`.",
};

const TURN_REMEDIES: { readonly [Reason in ErrorDetails["TURN_INCOMPLETE"]["reason"]]: string } = {
  step_limit: "Allow more with `--max-steps`.",
  token_limit: "Allow more with `--max-tokens`.",
  output_limit: "Ask for a shorter answer, or for a part of it.",
  refused: "",
};

/** A server chooses the names of its tools, so a name with other characters is not put into a command to be copied. */
export function allowAdvice(tool: string, { inRun = false }: { readonly inRun?: boolean } = {}): string {
  if (!/^[\w:.-]+$/.test(tool)) return "add a rule for it to `permissions.allow`";
  return inRun ? `add \`--allow ${tool}\`` : `run \`plugboard permissions allow ${tool}\``;
}
