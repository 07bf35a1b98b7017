/** Renders a project's server definitions for approval. Redacts and omits nothing, because all of it is approved. */
import { sanitizeLine } from "@plugboard/contracts";
import type { DefinitionChange, PendingServer } from "@plugboard/contracts";
import { makeQuoter, shortName } from "../quote-untrusted.ts";
import type { Quoter } from "../quote-untrusted.ts";
import { renderReplaceWarning, renderRoots, renderSandbox } from "./render-question.ts";
import { renderJson } from "../../terminal/render-json.ts";

export const NOTHING_PENDING = "No server needs your approval.\n";

export function renderPending(pending: readonly PendingServer[], columns: number): string {
  if (pending.length === 0) return NOTHING_PENDING;
  const quote = makeQuoter({ columns });
  return pending.map((server) => renderPendingServer(server, quote)).join("\n");
}

function renderPendingServer(server: PendingServer, quote: Quoter): string {
  const { id, source, folder, definition, variables, changes = [], replaces } = server;
  return [
    `${shortName(id)}, defined by the ${source} file in ${sanitizeLine(folder)}:\n`,
    quote(renderJson(definition)),
    variables.length === 0 ? "" : `It would receive these variables:\n${quote(variables.join(", "))}`,
    renderSandbox(server),
    renderRoots(definition),
    renderReplaceWarning(replaces),
    changes.length === 0 ? "" : `It has changed since you approved it:\n${quote(changes.map(renderChange).join(""))}`,
  ].join("");
}

function renderChange({ path, before, after }: DefinitionChange): string {
  const [from, to] = [before, after].map((value) => (value === undefined ? "nothing" : JSON.stringify(value)));
  return `${sanitizeLine(`${path}: ${from} → ${to}`)}\n`;
}
