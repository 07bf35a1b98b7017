/** Turns a server of a registry and the values of its inputs into an entry, and the secrets that it refers to. */
import { HostError, isJsonObject } from "@plugboard/contracts";
import type { RegistryEntry, RegistryFilling, RegistryGivenValues } from "@plugboard/contracts";
import { openRegistry } from "../../offline/open-registry.ts";
import type { RegistryCaller } from "./shown-servers.ts";

/** Throws NOT_FOUND if the registry does not have the server or the choice, and USAGE for an invalid value. */
export async function fillRegistryChoice(
  sent: RegistryFilling,
  { owner, place, shown }: RegistryCaller,
  signal?: AbortSignal,
): Promise<RegistryEntry> {
  const { id, name, version, registry, choice: label, values, given } = parseFilling(sent);
  const { toChoices, isSupported, fillChoice } = await import("@plugboard/config/registry");
  const client = await openRegistry(place, registry);
  const wanted = { registry: client.url, name, ...(version !== undefined && { version }) };
  const server = shown.find(owner, wanted) ?? (await client.get(name, version, signal));
  const choice = toChoices(server)
    .filter((one) => isSupported(one))
    .find((one) => one.label === label);
  if (!choice) throw new HostError("NOT_FOUND", { subject: `${JSON.stringify(label)} for ${name} in the registry` });
  return fillChoice(choice, id, values, given);
}

function parseFilling(filling: RegistryFilling): RegistryFilling {
  const { id, name, version, registry, choice, values, given } = filling as {
    readonly [Key in keyof RegistryFilling]: unknown;
  };
  const areTexts = [id, name, choice].every((text) => typeof text === "string");
  const areOptionalTexts = [version, registry].every((text) => ["string", "undefined"].includes(typeof text));
  if (!areTexts || !areOptionalTexts || !isJsonObject(values) || !Object.values(values).every(isTextList))
    throw new HostError("USAGE", { message: "a draft needs an id, a name, a choice and the values of its inputs" });
  if (given !== undefined) checkGivenValues(given);
  return filling;
}

/** Throws USAGE if the values do not have the form of `RegistryGivenValues`. */
export function checkGivenValues(given: unknown): asserts given is RegistryGivenValues {
  const { env = {}, headers = {}, args = [] } = isJsonObject(given) ? given : { env: null };
  if (isTextMap(env) && isTextMap(headers) && isTextList(args)) return;
  throw new HostError("USAGE", {
    message: "given values must be texts in env and headers, and a list of texts in args",
  });
}

function isTextMap(values: unknown): boolean {
  return isJsonObject(values) && isTextList(Object.values(values));
}

function isTextList(values: unknown): boolean {
  return Array.isArray(values) && values.every((text) => typeof text === "string");
}
