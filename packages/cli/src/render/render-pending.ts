/** What a project's file defines, in full: somebody is to agree to it, so nothing is masked and nothing is left out. */
import { sanitizeLine } from "@plugboard/contracts";
import type { DefinitionChange, PendingServer } from "@plugboard/contracts";
import { makeQuoter, shortName } from "./quote-untrusted.ts";
import type { Quoter } from "./quote-untrusted.ts";
import { renderReplaceWarning, renderRoots } from "./render-question.ts";
import { renderJson } from "./render-json.ts";

export function renderPending(pending: readonly PendingServer[], columns: number): string {
  if (pending.length === 0) return "Nothing waits for your consent.\n";
  const quote = makeQuoter({ columns });
  return pending.map((one) => renderOne(one, quote)).join("\n");
}

function renderOne(
  { id, source, folder, definition, variables, changes = [], replaces }: PendingServer,
  quote: Quoter,
): string {
  return [
    `${shortName(id)}, of the ${source} in ${sanitizeLine(folder)}:\n`,
    quote(renderJson(definition)),
    variables.length === 0 ? "" : `It would be given:\n${quote(variables.join(", "))}`,
    renderRoots(definition),
    renderReplaceWarning(replaces),
    changes.length === 0 ? "" : `It has changed since you agreed to it:\n${quote(changes.map(renderChange).join(""))}`,
  ].join("");
}

function renderChange({ path, before, after }: DefinitionChange): string {
  const [was, is] = [before, after].map((value) => (value === undefined ? "nothing" : JSON.stringify(value)));
  return `${sanitizeLine(`${path}: ${was} → ${is}`)}\n`;
}
