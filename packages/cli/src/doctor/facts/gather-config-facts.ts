/** Reads the config files for diagnosis, also if some of them are invalid. */
import { toHostError } from "@plugboard/contracts";
import type { ConfigProblem, Env, ErrorDetails, HostError, WorkspaceSpec } from "@plugboard/contracts";
import { createConfigRedactor, inspectServer, readStaticConfig } from "@plugboard/host/config-commands";
import { inspectConfig } from "@plugboard/config/edit";
import type { InspectedFile } from "@plugboard/config/edit";
import type { InspectedServer } from "@plugboard/host/config-commands";
import type { ConfigFileFacts } from "./facts.ts";

export interface ConfigFacts {
  readonly files: readonly ConfigFileFacts[];
  readonly problems: readonly ConfigProblem[];
  /** The servers that are in effect. Empty if the config can't be used. */
  readonly servers: readonly InspectedServer[];
  readonly untrusted: readonly string[];
  /** False if a file is so invalid that no host can use the config. */
  readonly isUsable: boolean;
  /** Removes the secrets of all definitions from a text. */
  readonly redact: (text: string) => string;
}

export async function gatherConfigFacts(spec: WorkspaceSpec, env: Env): Promise<ConfigFacts> {
  const { cwd, configFiles = [] } = spec;
  const inspected = await inspectConfig({ cwd, env, configFiles });
  const files = inspected.flatMap(({ file, source, layer }) =>
    layer ? [{ file, source, defines: layer.servers.map(({ id }) => id) }] : [],
  );
  const written = inspected.flatMap(({ layer }) => layer?.servers ?? []);
  try {
    const { config } = await readStaticConfig({ env }, spec);
    const active = [...config.servers.values()];
    return {
      files,
      problems: config.problems,
      servers: active.map((server) => inspectServer(server, env)),
      untrusted: [...new Set(config.pending.map(({ id }) => id))],
      isUsable: true,
      redact: makeRedact([...written, ...active], env),
    };
  } catch (error) {
    const problems = problemsOf(inspected, toHostError(error));
    return { files, problems, servers: [], untrusted: [], isUsable: false, redact: makeRedact(written, env) };
  }
}

function makeRedact(servers: Parameters<typeof createConfigRedactor>[0], env: Env): (text: string) => string {
  const redactor = createConfigRedactor(servers, env);
  return (text) => redactor?.text(text) ?? text;
}

/** Returns all problems, because the error of the host names only the first invalid file. */
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
