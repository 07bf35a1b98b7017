/** Lists the references of a definition to secrets and to environment variables, without resolving them. */
import type { EntryValue, SandboxSetting, SecretReference } from "@plugboard/contracts";
import type { ServerDefinition } from "./definition.ts";
import { isSecretReference, expandableTextsOfValue } from "./secret-reference.ts";

/** The values that may be references to secrets. */
function valuesOf(definition: ServerDefinition): EntryValue[] {
  if (definition.transport === "sdk") return [];
  if (definition.transport === "stdio") return [...definition.args, ...Object.values(definition.env)];
  const { type: _, ...authFields } = definition.auth;
  const authValues = Object.values(authFields).filter((value): value is EntryValue => typeof value !== "number");
  return [...Object.values(definition.headers), ...authValues];
}

export function secretReferencesOf(definition: ServerDefinition): SecretReference[] {
  return valuesOf(definition).filter(isSecretReference);
}

/** Returns the strings in which `${…}` is expanded. */
export function expandableTexts(definition: ServerDefinition): string[] {
  const { roots } = definition;
  const folders = typeof roots === "object" ? roots : [];
  return [...stringFields(definition), ...folders, ...valuesOf(definition).flatMap(expandableTextsOfValue)];
}

function stringFields(definition: ServerDefinition): string[] {
  if (definition.transport === "sdk") return [];
  if (definition.transport === "stdio")
    return [definition.command, definition.cwd ?? "", ...sandboxPaths(definition.sandbox)];
  return definition.transport === "claudeai-proxy" ? [definition.url, definition.id] : [definition.url];
}

function sandboxPaths(sandbox: SandboxSetting | false | undefined): string[] {
  if (typeof sandbox !== "object") return [];
  return [...(sandbox.read ?? []), ...(sandbox.write ?? [])];
}
