/** Turns a server of a registry and the values of its inputs into a definition and its secrets. */
import { HostError, isJsonObject } from "@plugboard/contracts";
import type { Env, RegistryDraft, ServerDraft } from "@plugboard/contracts";
import type { NeededSecret } from "@plugboard/config/registry";
import { openRegistry } from "../offline/open-registry.ts";

/** Throws NOT_FOUND if the registry no longer has the server or the choice, and USAGE for an invalid value. */
export async function fillRegistryDraft(
  sent: RegistryDraft,
  env: Env,
): Promise<[draft: ServerDraft, secrets: readonly NeededSecret[]]> {
  const { id, scope, name, version, choice: label, values } = parseDraft(sent);
  const { toChoices, isSupported, fillChoice } = await import("@plugboard/config/registry");
  const server = await (await openRegistry(env)).get(name, version);
  const choice = toChoices(server)
    .filter((one) => isSupported(one))
    .find((one) => one.label === label);
  if (!choice) throw new HostError("NOT_FOUND", { subject: `${JSON.stringify(label)} for ${name} in the registry` });
  const { entry, secrets } = fillChoice(choice, id, values);
  return [{ id, scope, entry }, secrets];
}

function parseDraft(draft: RegistryDraft): RegistryDraft {
  const { id, name, version, choice, values } = draft as { readonly [Key in keyof RegistryDraft]: unknown };
  const areTexts = [id, name, choice].every((text) => typeof text === "string");
  if (!areTexts || !["string", "undefined"].includes(typeof version) || !isTextLists(values))
    throw new HostError("USAGE", { message: "a draft needs an id, a name, a choice and the values of its inputs" });
  return draft;
}

function isTextLists(values: unknown): boolean {
  if (!isJsonObject(values)) return false;
  const lists: readonly unknown[] = Object.values(values);
  return lists.every((list) => Array.isArray(list) && list.every((text) => typeof text === "string"));
}
