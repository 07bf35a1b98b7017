/** What a definition runs or calls, in a line for people. As written, so no variable is expanded; what looks secret is masked. */
import type { ServerDefinition } from "./definition.ts";

const MASK = "***";
const SECRET = /key|token|secret|pass|auth|credential/i;

export function describeTarget(definition: ServerDefinition): string {
  if (definition.transport === "http") return maskUrl(definition.url);
  const args = definition.args.map((arg, at) => maskArgument(arg, definition.args[at - 1]));
  return [definition.command, ...args].map(quoted).join(" ");
}

/** `--api-key=x`, `--api-key x` and `API_KEY=x` show no x. A reference like `${KEY}` is no secret. */
function maskArgument(arg: string, before: string | undefined): string {
  const [name = "", ...value] = arg.split("=");
  if (value.length > 0 && SECRET.test(name)) return `${name}=${masked(value.join("="))}`;
  if (before?.startsWith("-") && !before.includes("=") && SECRET.test(before) && !arg.startsWith("-"))
    return masked(arg);
  return URL.canParse(arg) ? maskUrl(arg) : arg;
}

function maskUrl(text: string): string {
  return text
    .replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, `$1${MASK}@`)
    .replace(/([?&][^=&#]*)=([^&#]*)/g, (_, name: string, value: string) => `${name}=${masked(value)}`);
}

function masked(value: string): string {
  return /^\$\{[^}]*\}$/.test(value) ? value : MASK;
}

function quoted(word: string): string {
  return /^[^\s"'\\]+$/.test(word) ? word : JSON.stringify(word);
}
