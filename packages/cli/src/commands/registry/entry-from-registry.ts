/**
 * Makes a server entry from a server of a registry. On a terminal, asks for missing inputs, shows what would run, and
 * asks whether to add it. Saves nothing.
 */
import { HostError } from "@plugboard/contracts";
import type {
  Operations,
  RegistryChoice,
  RegistryEntry,
  RegistryFilling,
  RegistryGivenValues,
  RegistryHit,
} from "@plugboard/contracts";
import { usageError } from "../../command-line/usage-error.ts";
import { askInputs, askWhichChoice } from "../../prompt/ask-inputs.ts";
import { isYes } from "../../prompt/confirm.ts";
import { renderRegistryEntry, renderRegistryServer } from "../../render/servers/render-registry-entry.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { Interruption, interruptedError } from "../../terminal/interruption.ts";
import { NoAnswerError, openTerminalLines } from "../../terminal/terminal-lines.ts";
import { showPhases } from "../../workspace/show-phases.ts";
import { withOperations } from "../../workspace/with-operations.ts";

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
  readonly given: RegistryGivenValues;
  /** True if the user has agreed already. */
  readonly isConfirmed: boolean;
}

type InputAnswers = RegistryFilling["values"];

/** Returns undefined if the user does not agree. */
export async function entryFromRegistry(request: RegistryRequest, cli: CliContext): Promise<RegistryEntry | undefined> {
  const interruption = new Interruption(cli);
  try {
    return await withOperations(cli, (operations) => makeEntry(request, operations, cli, interruption));
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
  { id, name, registry: url, transport, inputs, given, isConfirmed }: RegistryRequest,
  operations: Operations,
  cli: CliContext,
  interruption: Interruption,
): Promise<RegistryEntry | undefined> {
  const { signal } = interruption;
  const interrupt = () => interruption.interrupt();
  const answers = parseInputs(inputs);
  const [serverName = "", wanted] = name.split("@", 2);
  const registry = url === undefined ? {} : { registry: url };
  const selection = { id, given, ...(wanted !== undefined && { version: wanted }), ...(transport && { transport }) };
  const phases = showPhases(cli.liveLine, "reading the registry");
  const server = await operations
    .registryServer(serverName, { ...registry, ...selection, signal })
    .finally(() => phases.stop());
  const choices = runnableChoices(server);
  cli.stderr.write(renderRegistryServer(server, cli.stderr.columns));
  const fill = ({ label: choice }: RegistryChoice, values: InputAnswers) => {
    const filling = { id, name: server.name, version: server.version, ...registry, choice, values, given };
    return operations.fillRegistryChoice(filling, { signal });
  };
  if (!cli.isInteractive || isConfirmed) {
    const filled = await fill(choices[0]!, withoutSecrets(answers, choices[0]!));
    cli.stderr.write(renderRegistryEntry(id, filled));
    return filled;
  }
  const lines = openTerminalLines(cli, signal, interrupt);
  try {
    const choice = await askWhichChoice(choices, lines);
    const asked = await askInputs(choice.inputs, withoutSecrets(answers, choice), operations, lines);
    const filled = await fill(choice, asked);
    cli.stderr.write(renderRegistryEntry(id, filled));
    return isYes(await lines.read("Add it? y / n: ")) ? filled : undefined;
  } finally {
    lines.close();
  }
}

/** Returns the choices that can run here. Throws NOT_FOUND if there are none. */
function runnableChoices({ name, choices }: RegistryHit): RegistryChoice[] {
  const runnable = choices.flatMap((choice) => ("unsupported" in choice ? [] : choice));
  if (runnable.length > 0) return runnable;
  const reasons = choices.flatMap((choice) =>
    "unsupported" in choice ? `${choice.label}: ${choice.unsupported}` : [],
  );
  const subject = `way to run "${name}" here`;
  throw new HostError("NOT_FOUND", { subject: reasons.length === 0 ? subject : `${subject} (${reasons.join("; ")})` });
}

/** Refuses secrets on the command line, where they would stay in the history of the shell. */
function withoutSecrets(answers: InputAnswers, { inputs }: RegistryChoice): InputAnswers {
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
