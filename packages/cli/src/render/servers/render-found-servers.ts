/** Renders servers of a registry: how each would run, what it needs, and how to add it. All text is untrusted. */
import { sanitizeLine } from "@plugboard/contracts";
import type { RegistryHit, RegistryInputField, RegistrySearch } from "@plugboard/contracts";
import { fitColumns } from "../../terminal/text-width.ts";
import { styled } from "../../terminal/text.ts";
import type { Text } from "../../terminal/text.ts";
import { renderTarget } from "./render-entry.ts";

/** The number of ways to run a server that are shown. `--json` has all of them. */
const MAX_CHOICES = 4;
/** The longest line in a pipe, which has no width. */
const MAX_LINE = 400;

export function renderFoundServers(servers: readonly RegistryHit[], columns: number): Text {
  return servers.flatMap((server, index) => [index === 0 ? "" : "\n", renderServer(server, columns)]);
}

function renderServer(server: RegistryHit, columns: number): Text {
  const { name, title, description, version, id, choices } = server;
  const line = (label: string, text: string): Text => [
    styled("dim", `  ${label.padEnd(6)}`),
    `${fitColumns(sanitizeLine(text), Math.min(columns, MAX_LINE) - 8)}\n`,
  ];
  // The commands are shown whole, so that the user sees what would run.
  const wholeLine = (label: string, text: string): Text => [styled("dim", `  ${label.padEnd(6)}`), `${text}\n`];
  const shown = choices.slice(0, MAX_CHOICES);
  const isSupported = choices.some((choice) => "entry" in choice);
  return [
    styled("bold", sanitizeLine(name)),
    ` ${sanitizeLine(version)}`,
    ...renderStatus(server),
    "\n",
    line("", title === undefined ? description : `${title}: ${description}`),
    ...shown.map((choice, index) => {
      if (!("entry" in choice)) return line(index === 0 ? "runs" : "or", `– ${choice.label}: ${choice.unsupported}`);
      return [wholeLine(index === 0 ? "runs" : "or", renderTarget(choice.entry)), ...renderNeeds(choice, line)];
    }),
    choices.length > MAX_CHOICES ? line("", `and ${choices.length - MAX_CHOICES} more`) : "",
    choices.length === 0 ? line("runs", "– it has no package and no URL") : "",
    isSupported ? wholeLine("add", `plugboard add ${id} --from-registry ${sanitizeLine(name)}`) : "",
  ];
}

function renderStatus({ status, statusMessage }: RegistryHit): Text[] {
  if (status === "active") return [];
  const reason = statusMessage === undefined ? "" : `: ${sanitizeLine(statusMessage)}`;
  return [styled("yellow", fitColumns(`  ${status}${reason}`, MAX_LINE))];
}

/** Lists the inputs that the user must supply. */
function renderNeeds(
  { inputs }: { readonly inputs: readonly RegistryInputField[] },
  line: (label: string, text: string) => Text,
): Text[] {
  return inputs
    .filter((input) => input.required && (input.default === undefined || input.secret))
    .map(({ name, secret, description }) =>
      line("needs", `${name}${secret ? " (secret)" : ""}${description === undefined ? "" : `: ${description}`}`),
    );
}

/** Explains an empty or incomplete result. */
export function renderSearchNotes(
  { servers, invalidCount, hasMore, registry }: RegistrySearch,
  words: readonly string[],
): string {
  const found =
    servers.length === 0 ? [`No server in ${registry} has ${words.map((word) => `"${word}"`).join(" and ")}.`] : [];
  const more = hasMore && servers.length > 0 ? ["There may be more servers. Use more words, or `--limit`."] : [];
  const left =
    invalidCount === 0
      ? []
      : [
          `${invalidCount} ${invalidCount === 1 ? "server was" : "servers were"} left out, because the registry describes ${invalidCount === 1 ? "it" : "them"} in an invalid form.`,
        ];
  return [...found, ...more, ...left].map((sentence) => `${sanitizeLine(sentence)}\n`).join("");
}
