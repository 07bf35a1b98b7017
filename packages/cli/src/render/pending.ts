/** What a project's file defines, in full: somebody is to agree to it, so nothing is masked and nothing is left out. */
import { sanitiseLine } from "@plugboard/contracts";
import type { DefinitionChange, PendingServer } from "@plugboard/contracts";
import { renderReplaced } from "../prompt/render-question.ts";
import { renderJson } from "./json.ts";

export function renderPending(pending: readonly PendingServer[]): string {
  if (pending.length === 0) return "Nothing waits for your consent.\n";
  return pending.map(renderOne).join("\n");
}

function renderOne({ id, source, folder, definition, variables, changes, replaces }: PendingServer): string {
  return [
    `${sanitiseLine(`${id}, of the ${source} in ${folder}:`)}\n`,
    renderJson(definition),
    variables.length === 0 ? "" : `It would be given: ${sanitiseLine(variables.join(", "))}\n`,
    renderReplaced(replaces),
    ...(changes ?? []).map(renderChange),
  ].join("");
}

function renderChange({ path, before, after }: DefinitionChange): string {
  const [was, is] = [before, after].map((value) => (value === undefined ? "nothing" : JSON.stringify(value)));
  return `${sanitiseLine(`changed: ${path}: ${was} → ${is}`)}\n`;
}
