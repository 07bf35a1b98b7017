/** Searches an MCP registry for servers that can be added. */
import type { Env, RegistryChoice, RegistryHit } from "@plugboard/contracts";
import { loadRegistry } from "@plugboard/host/internal";
import type { ServerChoice } from "@plugboard/host/internal";

const LIMIT = 30;

export async function searchRegistry(words: string, env: Env): Promise<RegistryHit[]> {
  const { RegistryClient, suggestServerId, toChoices, isSupported, fillChoice } = await loadRegistry();
  const client = new RegistryClient(env["PLUGBOARD_REGISTRY_URL"] || undefined);
  const { servers } = await client.search(words.trim().split(/\s+/), { limit: LIMIT });
  return servers.map((server) => {
    const { name, title, description, version } = server;
    const id = suggestServerId(name);
    const toChoice = (choice: ServerChoice): RegistryChoice => {
      if (!isSupported(choice)) return { label: choice.label, unsupported: choice.unsupported, inputs: [] };
      const inputs = choice.inputs.map((input) => ({
        name: input.name,
        required: input.required,
        secret: input.secret,
        ...(input.description !== undefined && { description: input.description }),
      }));
      return { label: choice.label, entry: fillChoice(choice, id).entry, inputs };
    };
    return {
      name,
      description,
      version,
      id,
      choices: toChoices(server).map(toChoice),
      ...(title !== undefined && { title }),
    };
  });
}
