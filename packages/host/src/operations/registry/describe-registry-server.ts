/**
 * Describes a server of a registry: the ways to run it (choices), the inputs of each choice, and the command or URL
 * that results if all inputs keep their defaults.
 */
import type {
  RegistryChoice,
  RegistryHit,
  RegistryServerOptions,
  UnsupportedRegistryChoice,
} from "@plugboard/contracts";
import type { RegistryServer, SupportedChoice } from "@plugboard/config/registry";

type ChoiceOptions = Pick<RegistryServerOptions, "id" | "transport" | "given">;

export async function describeRegistryServer(
  { packages, remotes, ...server }: RegistryServer,
  options: ChoiceOptions = {},
): Promise<RegistryHit> {
  const { suggestServerId, toChoices, isSupported } = await import("@plugboard/config/registry");
  const id = suggestServerId(server.name);
  const choices = toChoices({ packages, remotes }).map(async (choice) =>
    isSupported(choice) ? describeChoice(choice, { ...options, id: options.id ?? id }) : choice,
  );
  return { ...server, id, choices: await Promise.all(choices) };
}

async function describeChoice(
  choice: SupportedChoice,
  { id, transport, given = {} }: ChoiceOptions & { readonly id: string },
): Promise<RegistryChoice | UnsupportedRegistryChoice> {
  const { fillChoice, unsetInputs } = await import("@plugboard/config/registry");
  const { label } = choice;
  if (!fits(choice, transport, given)) return { label, unsupported: "it does not fit the options" };
  const unset = new Set(unsetInputs(choice, given));
  const inputs = choice.inputs.map((input) => (unset.has(input) ? input : { ...input, replaced: true as const }));
  return { label, inputs, ...fillChoice(choice, id, {}, given) };
}

/** Returns whether the choice has the transport, and can take the given values. */
function fits(
  { template }: SupportedChoice,
  transport: string | undefined,
  { env = {}, headers = {}, args = [] }: NonNullable<ChoiceOptions["given"]>,
): boolean {
  if (transport !== undefined && template.transport !== transport) return false;
  const needsCommand = Object.keys(env).length + args.length > 0;
  const needsUrl = Object.keys(headers).length > 0;
  return template.transport === "stdio" ? !needsUrl : !needsCommand;
}
