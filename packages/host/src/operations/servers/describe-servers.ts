/** Describes the definitions of servers in config files. Starts no server. */
import { nearest } from "@plugboard/contracts";
import type {
  DescribedDefinition,
  DescribeServerOptions,
  EditableScope,
  ScopeEntries,
  ServerDefinitionFile,
  ServerDescription,
  UnknownServer,
} from "@plugboard/contracts";
import { describeConfigured, requireScopeFiles } from "@plugboard/config";
import type { ConfiguredServer } from "@plugboard/config";
import { filesWithEntry, inspectConfig, problemsOf } from "@plugboard/config/edit";
import type { InspectedFile } from "@plugboard/config/edit";
import { readStaticConfig } from "../../offline/read-static-config.ts";
import type { OperationsPlace } from "../operations-context.ts";
import { isEditable, requireEntries, throwIfInvalid, unknownServerError } from "./find-entries.ts";

/** Returns the definition with the highest priority first. */
export async function listDefinitions(id: string, place: OperationsPlace): Promise<ServerDefinitionFile[]> {
  return filesWithEntry(await inspectConfig(place), id).flatMap((file) => {
    const server = file.layer?.servers.find((candidate) => candidate.id === id);
    return server ? { ...describeConfigured(server), ...(isEditable(file) && { scope: file.source }) } : [];
  });
}

export async function describeServer(
  id: string,
  { scope, servers }: DescribeServerOptions = {},
  place: OperationsPlace,
): Promise<ServerDescription> {
  const { server, untrusted, all } =
    scope === undefined ? await findEffective(id, servers, place) : await findInScope(id, scope, place);
  const otherFiles = filesWithEntry(all, id).filter(({ file }) => file !== server.file);
  const problems = all.filter(({ file }) => file === server.file).flatMap(problemsOf);
  return {
    ...describeConfigured(server),
    ...(untrusted && { untrusted }),
    otherFiles: otherFiles.map(({ source, file }) => ({ source, file })),
    problems: problems.filter((problem) => problem.server === id),
  };
}

export async function listScope(scope: EditableScope, place: OperationsPlace): Promise<ScopeEntries> {
  const { files } = await requireScopeFiles(scope, place.cwd, place.env);
  const inspected = (await inspectConfig(place)).filter(({ source }) => source === scope);
  throwIfInvalid(inspected);
  return { files, entries: inspected.flatMap(entriesOf) };
}

export async function findUnknownServers(
  ids: readonly string[],
  { cwd, env, configFiles }: OperationsPlace,
): Promise<UnknownServer[]> {
  const { servers, pending } = (await readStaticConfig({ env }, { cwd, configFiles })).config;
  const known = [...servers.keys(), ...pending.map(({ id }) => id)];
  return ids
    .filter((id) => !known.includes(id))
    .map((id) => {
      const suggestion = nearest(id, known);
      return { id, ...(suggestion !== undefined && { suggestion }) };
    });
}

interface FoundServer {
  readonly server: ConfiguredServer;
  readonly untrusted: boolean;
  readonly all: readonly InspectedFile[];
}

async function findEffective(
  id: string,
  servers: DescribeServerOptions["servers"] = {},
  place: OperationsPlace,
): Promise<FoundServer> {
  const { cwd, env, configFiles } = place;
  const [{ config }, all] = await Promise.all([
    readStaticConfig({ env }, { cwd, configFiles, servers }),
    inspectConfig(place),
  ]);
  const active = config.servers.get(id);
  const server = active ?? config.pending.findLast((waiting) => waiting.id === id);
  if (!server) throw unknownServerError(id, all);
  return { server, untrusted: active === undefined, all };
}

/** If the entry of the scope only enables or disables the server, returns the definition in effect. */
async function findInScope(id: string, scope: EditableScope, place: OperationsPlace): Promise<FoundServer> {
  const { files, all } = await requireEntries(id, scope, place);
  const server = files[0].layer!.servers.find((candidate) => candidate.id === id);
  return server ? { server, untrusted: false, all } : findEffective(id, {}, place);
}

function entriesOf({ source, file, layer }: InspectedFile): DescribedDefinition[] {
  if (!layer) return [];
  return [...layer.servers.map(describeConfigured), ...layer.switches.map((entry) => ({ ...entry, source, file }))];
}
