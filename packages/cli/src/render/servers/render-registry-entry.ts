/** Renders a server of a registry before it is added, and what the user must set then. Its texts are untrusted. */
import { sanitizeLine } from "@plugboard/contracts";
import type { RegistryEntry, RegistryHit, RegistrySecret } from "@plugboard/contracts";
import { styled } from "../../terminal/text.ts";
import type { Text } from "../../terminal/text.ts";
import { makeQuoter } from "../quote-untrusted.ts";
import { renderPairs, renderTarget } from "./render-entry.ts";

const MAX_DESCRIPTION_ROWS = 4;

export function renderRegistryServer(server: RegistryHit, columns: number): Text {
  const { name, version, title, description, status, statusMessage, repository } = server;
  const quote = makeQuoter({ columns, onTruncate: () => {} });
  const about = [title === undefined ? description : `${title}: ${description}`, repository ?? ""];
  return [
    styled("bold", sanitizeLine(name)),
    ` ${sanitizeLine(version)}\n`,
    quote(
      about
        .filter((text) => text !== "")
        .map(sanitizeLine)
        .join("\n"),
      MAX_DESCRIPTION_ROWS,
    ),
    status === "active"
      ? ""
      : styled("yellow", `warning: this server is ${status}. ${sanitizeLine(statusMessage ?? "")}\n`),
  ];
}

/** Shows exactly what would run, and with which variables or headers. */
export function renderRegistryEntry(id: string, { entry }: RegistryEntry): Text {
  return [
    "This adds the server ",
    styled("bold", id),
    ":\n",
    `  ${entry.command === undefined ? "calls" : "runs"}: `,
    styled("cyan", renderTarget(entry)),
    "\n",
    ...renderPairs(entry).map((pair) => `  with: ${pair}\n`),
  ];
}

/** Lists what the user must still set. Returns an empty text if nothing is missing. */
export function renderMissingValues(secrets: readonly RegistrySecret[], variables: RegistryEntry["variables"]): string {
  const steps = [
    ...secrets.map((secret) => [`plugboard secret set ${secret.name}`, describeSecret(secret)]),
    ...variables.map(({ name, description = "" }) => [`export ${name}=…`, description]),
  ];
  if (steps.length === 0) return "";
  const rows = steps.map(
    ([command = "", about = ""]) => `  ${sanitizeLine(command)}${about === "" ? "" : `    # ${sanitizeLine(about)}`}\n`,
  );
  return `Set before its first use:\n${rows.join("")}`;
}

function describeSecret({ description = "", form }: RegistrySecret): string {
  if (form === undefined) return description;
  return `${description}${description === "" ? "" : ", "}in the form ${form}`;
}
