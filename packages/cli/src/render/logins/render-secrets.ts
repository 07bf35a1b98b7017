/** Renders the names of secrets, the servers that refer to them, and where they are stored. Never renders a value. */
import { sanitizeLine } from "@plugboard/contracts";
import type { SecretList, SecretStatus } from "@plugboard/contracts";
import { renderTable } from "../render-table.ts";

type Place = Omit<SecretList, "secrets">;

export function renderSecrets(list: SecretList): string {
  const storeLine = `${renderPlace(list)}\n`;
  if (list.secrets.length === 0) return list.unreadable ? storeLine : `No secrets.\n\n${storeLine}`;
  const rows = list.secrets.map(({ name, state, servers }) => [name, STATES[state], servers.join(", ") || "–"]);
  const missing = list.secrets.filter(({ state }) => state === "missing");
  const hints = missing.map(({ name }) => `Run \`plugboard secret set ${sanitizeLine(name)}\` to store it.\n`);
  return `${renderTable(["SECRET", "STATE", "SERVERS"], rows)}\n${hints.join("")}${storeLine}`;
}

const STATES: { readonly [State in SecretStatus["state"]]: string } = {
  stored: "stored",
  keyring: "in the keyring, from another program",
  program: "from the program",
  missing: "missing",
  unknown: "can't be read",
};

export function renderSecretSet(name: string, servers: readonly string[], place: Place): string {
  const used = servers.length === 0 ? "No server here refers to it yet." : nextConnect(servers);
  return `${sanitizeLine(`Stored ${name}. ${used} ${renderPlace(place)}`)}\n`;
}

export function renderSecretRemoved(name: string, servers: readonly string[]): string {
  const note = servers.length === 0 ? "" : ` ${servers.join(", ")} can't connect without it.`;
  return `${sanitizeLine(`Removed ${name}.${note}`)}\n`;
}

function nextConnect(servers: readonly string[]): string {
  return `${servers.join(", ")} ${servers.length === 1 ? "uses" : "use"} it from the next connect on.`;
}

/** Says on one line where secrets are stored. */
function renderPlace({ backend, file, note, unreadable }: Place): string {
  const sentence = {
    keyring: `Secrets are stored in ${file}, encrypted with a key in the keyring.`,
    file: `Secrets are stored unencrypted in ${file}, which only you can read.`,
    memory: "Secrets are not stored. They end with the host.",
  }[backend];
  // If the secrets are unreadable, the reason is shown as an error instead.
  const reason = note === undefined || unreadable ? "" : ` ${note.charAt(0).toUpperCase()}${note.slice(1)}.`;
  return sanitizeLine(`${sentence}${reason}`);
}
