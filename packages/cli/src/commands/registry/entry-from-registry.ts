/**
 * Makes a server entry from a server of a registry. Asks on a terminal for the inputs that are missing, shows what would
 * run, and asks whether to add it. Saves nothing.
 */
import { HostError } from "@plugboard/contracts";
import type {
  FilledChoice,
  GivenValues,
  InputAnswers,
  RegistryServer,
  SupportedChoice,
} from "@plugboard/config/registry";
import { usageError } from "../../command-line/usage-error.ts";
import { askInputs, askWhichChoice } from "../../prompt/ask-inputs.ts";
import { isYes } from "../../prompt/confirm.ts";
import { renderRegistryEntry, renderRegistryServer } from "../../render/servers/render-registry-entry.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { Interruption, interruptedError } from "../../terminal/interruption.ts";
import { NoAnswerError, openTerminalLines } from "../../terminal/terminal-lines.ts";
import { findRegistryServer } from "./find-registry-server.ts";
import { readRegistry } from "./read-registry.ts";

export interface RegistryRequest {
  /** The id of the new server. */
  readonly id: string;
  /** The name of the server in the registry. `@version` after it selects another version than the latest. */
  readonly name: string;
  /** The value of `--registry`. */
  readonly registry: string | undefined;
  /** Selects the packages or URLs with this transport. */
  readonly transport: string | undefined;
  /** Answers to inputs, such as `path=/data`. */
  readonly inputs: readonly string[];
  /** The values of `--env`, `--header` and `--arg`. */
  readonly given: GivenValues;
  /** True if the user has agreed already. */
  readonly isConfirmed: boolean;
}

/** Returns undefined if the user does not agree. */
export async function entryFromRegistry(request: RegistryRequest, cli: CliContext): Promise<FilledChoice | undefined> {
  const interruption = new Interruption(cli);
  try {
    return await makeEntry(request, cli, interruption);
  } catch (thrown) {
    if (interruption.exitStatus !== undefined)
      throw interruptedError(interruption.signal, "command", "; nothing was added");
    // The user has typed Ctrl-D.
    if (thrown instanceof NoAnswerError) return undefined;
    throw thrown;
  } finally {
    interruption.stopListening();
  }
}

async function makeEntry(
  { id, name, registry, transport, inputs, given, isConfirmed }: RegistryRequest,
  cli: CliContext,
  interruption: Interruption,
): Promise<FilledChoice | undefined> {
  const { signal } = interruption;
  const interrupt = () => interruption.interrupt();
  const { fillChoice, unsetInputs } = await import("@plugboard/config/registry");
  const answers = parseInputs(inputs);
  const server = await readRegistry(registry, cli, (client) => findRegistryServer(client, name, signal));
  const choices = await findChoices(server, transport, given);
  cli.stderr.write(renderRegistryServer(server, cli.stderr.columns));
  if (!cli.isInteractive || isConfirmed) {
    const filled = fillChoice(choices[0]!, id, withoutSecrets(answers, choices[0]!), given);
    cli.stderr.write(renderRegistryEntry(id, filled));
    return filled;
  }
  const lines = openTerminalLines(cli, signal, interrupt);
  try {
    const choice = await askWhichChoice(choices, (option) => fillChoice(option, id).entry, lines);
    const asked = await askInputs(unsetInputs(choice, given), withoutSecrets(answers, choice), lines);
    const filled = fillChoice(choice, id, asked, given);
    cli.stderr.write(renderRegistryEntry(id, filled));
    return isYes(await lines.read("Add it? y / n: ")) ? filled : undefined;
  } finally {
    lines.close();
  }
}

/** Returns the choices that accept the given values. Throws NOT_FOUND if there are none. */
async function findChoices(
  server: RegistryServer,
  transport: string | undefined,
  { env = {}, headers = {}, args = [] }: GivenValues,
): Promise<SupportedChoice[]> {
  const { toChoices, isSupported } = await import("@plugboard/config/registry");
  const needsCommand = Object.keys(env).length + args.length > 0;
  const needsUrl = Object.keys(headers).length > 0;
  const all = toChoices(server);
  const fitting = all.filter(isSupported).filter(({ template }) => {
    if (transport !== undefined && template.transport !== transport) return false;
    return template.transport === "stdio" ? !needsUrl : !needsCommand;
  });
  if (fitting.length > 0) return fitting;
  const reasons = all.map(
    (choice) => `${choice.label}: ${"unsupported" in choice ? choice.unsupported : "it does not fit the options"}`,
  );
  const subject = `way to run "${server.name}" here`;
  throw new HostError("NOT_FOUND", { subject: reasons.length === 0 ? subject : `${subject} (${reasons.join("; ")})` });
}

/** Refuses secrets on the command line, where they would stay in the history of the shell. */
function withoutSecrets(answers: InputAnswers, { inputs }: SupportedChoice): InputAnswers {
  const secret = inputs.find((input) => input.secret && Object.hasOwn(answers, input.name));
  if (!secret) return answers;
  const message = `${secret.name} is a secret, and --input would leave it in the history of your shell; run the command on a terminal, which asks for it`;
  throw usageError(message, { command: "add" });
}

/** The first `=` ends the name. An input that is given several times has several answers. */
function parseInputs(pairs: readonly string[]): InputAnswers {
  const answers = new Map<string, string[]>();
  for (const pair of pairs) {
    const equals = pair.indexOf("=");
    // The text may be a secret whose name is missing, so it is not quoted.
    if (equals < 1) throw usageError("--input must be of the form name=value", { command: "add" });
    const name = pair.slice(0, equals);
    answers.set(name, [...(answers.get(name) ?? []), pair.slice(equals + 1)]);
  }
  return Object.fromEntries(answers);
}
