/** Keeps the order of tools stable, because a changed order invalidates the prompt cache of the model. Pure. */
import type { ToolDefinition } from "./tools.ts";

/**
 * Sorts the definitions by the order of earlier requests and puts new tools at the end. A tool that vanished keeps its
 * place for the case that it appears again. Of two definitions with the same name, only the first is offered.
 */
export function orderTools(
  definitions: readonly ToolDefinition[],
  knownNames: readonly string[],
): { tools: readonly ToolDefinition[]; names: readonly string[] } {
  const byName = new Map<string, ToolDefinition>();
  for (const definition of definitions) {
    if (!byName.has(definition.name)) byName.set(definition.name, definition);
  }
  const known = new Set(knownNames);
  const names = [...knownNames, ...[...byName.keys()].filter((name) => !known.has(name))];
  return { names, tools: names.flatMap((name) => byName.get(name) ?? []) };
}
