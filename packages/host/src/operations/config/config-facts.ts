/** Reads the config files for diagnosis, even if some of them are invalid. Starts nothing. */
import { isJsonObject, toHostError } from "@plugboard/contracts";
import type { ConfigFacts, ConfigProblem, ErrorDetails, HostError, Json, WorkspaceSecrets } from "@plugboard/contracts";
import { inspectConfig } from "@plugboard/config/edit";
import type { InspectedFile } from "@plugboard/config/edit";
import type { ConfiguredServer } from "@plugboard/config";
import { createConfigRedactor, inspectServer } from "../../offline/inspect-servers.ts";
import { effectiveConfig } from "./effective-config.ts";
import type { OperationsPlace } from "../operations-context.ts";

export async function readConfigFacts(
  place: OperationsPlace,
  secrets: Pick<WorkspaceSecrets, "list">,
): Promise<ConfigFacts> {
  const { mayReadSecrets: expand = false } = place;
  const inspected = await inspectConfig(place);
  const files = inspected.flatMap(({ file, source, layer }) =>
    layer ? [{ file, source, defines: layer.servers.map(({ id }) => id) }] : [],
  );
  try {
    const { servers, pending, problems } = await effectiveConfig(place);
    return {
      files,
      problems,
      servers: [...servers.values()].map((server) => inspectServer(server, place.env, { expand })),
      untrusted: [...new Set(pending.map(({ id }) => id))],
      secrets: await secrets.list(),
    };
  } catch (error) {
    return { files, problems: problemsOf(inspected, toHostError(error)), servers: [], untrusted: [] };
  }
}

/** Masks the secrets of all definitions in a value, also of definitions that are not in effect. */
export async function redactSecrets(value: Json, place: OperationsPlace): Promise<Json> {
  const written = (await inspectConfig(place)).flatMap(({ layer }) => layer?.servers ?? []);
  const redactor = createConfigRedactor([...written, ...(await activeServers(place))], place.env);
  return redactor ? redactAll(value, (text) => redactor.text(text)) : value;
}

/** Returns no servers if the config can't be used. */
async function activeServers(place: OperationsPlace): Promise<ConfiguredServer[]> {
  const config = await effectiveConfig(place).catch(() => undefined);
  return [...(config?.servers.values() ?? [])];
}

function redactAll(value: Json, redact: (text: string) => string): Json {
  if (typeof value === "string") return redact(value);
  if (Array.isArray(value)) return value.map((item) => redactAll(item, redact));
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(([key, item]) => [redact(key), redactAll(item ?? null, redact)]);
  return Object.fromEntries(entries) as Json;
}

/** Returns the problems of all files. The error of the host is about the first invalid file only. */
function problemsOf(inspected: readonly InspectedFile[], hostError: HostError): ConfigProblem[] {
  const invalid = inspected.flatMap(({ error }) => (error ? [error] : []));
  const errors = invalid.some(({ message }) => message === hostError.message) ? invalid : [hostError, ...invalid];
  return [...errors.map(toProblem), ...inspected.flatMap(({ layer }) => layer?.problems ?? [])];
}

function toProblem({ code, details, message }: HostError): ConfigProblem {
  if (code !== "CONFIG_INVALID") return { severity: "error", file: "the config", message };
  const { file, line, column, reason } = details as ErrorDetails["CONFIG_INVALID"];
  const place = line === undefined || column === undefined ? {} : { line, column };
  return { severity: "error", file, ...place, message: reason };
}
