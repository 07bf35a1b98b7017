/** Searches an MCP registry for servers that can be added. */
import type { Env, RegistryChoice, RegistryHit, RegistryInputField } from "@plugboard/contracts";
import type { ChoiceInput, SupportedChoice } from "@plugboard/config/registry";
import { openRegistry } from "../offline/open-registry.ts";

const LIMIT = 30;

export async function searchRegistry(words: string, env: Env): Promise<RegistryHit[]> {
  const { suggestServerId, toChoices, isSupported } = await import("@plugboard/config/registry");
  const { servers } = await (await openRegistry(env)).search(words.trim().split(/\s+/), { limit: LIMIT });
  return servers.map((server) => {
    const { name, title, description, version, status, statusMessage = "" } = server;
    return {
      name,
      description,
      version,
      id: suggestServerId(name),
      choices: toChoices(server).map((choice) =>
        isSupported(choice) ? toRegistryChoice(choice) : { ...choice, inputs: [] },
      ),
      ...(title !== undefined && { title }),
      ...(status === "deprecated" && { deprecated: statusMessage }),
    };
  });
}

function toRegistryChoice({ label, inputs }: SupportedChoice): RegistryChoice {
  return { label, inputs: inputs.map(toField) };
}

function toField(input: ChoiceInput): RegistryInputField {
  const { where: _, ...field } = input;
  return field;
}
