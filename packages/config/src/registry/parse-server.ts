/** Parses one server in the answer of a registry. Ignores unknown fields. */
import { isJsonObject } from "@plugboard/contracts";
import type { JsonObject } from "@plugboard/contracts";
import { InvalidField, readFlag, readList, readMap, readObject, readOptionalText, readText } from "./read-fields.ts";
import type {
  OrInvalid,
  RegistryArgument,
  RegistryInput,
  RegistryPackage,
  RegistryPair,
  RegistryRemote,
  RegistryServer,
} from "./registry-server.ts";

/** The key of the metadata that the registry itself adds. */
const REGISTRY_METADATA = "io.modelcontextprotocol.registry/official";

/** The pattern from the schema of `server.json`. It excludes names that look like options or paths. */
const SERVER_NAME = /^[a-zA-Z0-9][a-zA-Z0-9.-]*\/[a-zA-Z0-9._-]+$/;
const FORMATS = ["string", "number", "boolean", "filepath"] as const;

/** Parses a `ServerResponse`. Throws `InvalidField`. */
export function parseServer(value: unknown, path: string): RegistryServer {
  const response = readObject(value, path);
  const server = readObject(response["server"], `${path}.server`);
  const name = readText(server["name"], `${path}.server.name`);
  if (!SERVER_NAME.test(name))
    throw new InvalidField(`${path}.server.name`, "is not a name such as example.com/server");
  return {
    name,
    description: readOptionalText(server["description"], `${path}.server.description`) ?? "",
    version: readText(server["version"], `${path}.server.version`),
    ...optionalTexts(server, `${path}.server`, { title: "title", website: "websiteUrl" }),
    ...(isJsonObject(server["repository"]) &&
      optionalTexts(server["repository"], `${path}.server.repository`, { repository: "url" })),
    ...parseStatus(response["_meta"], `${path}._meta`),
    packages: readList(server["packages"], `${path}.server.packages`, orInvalid(parsePackage)),
    remotes: readList(server["remotes"], `${path}.server.remotes`, orInvalid(parseRemote)),
  };
}

/** Returns `active` if there is no status. Registries other than the official one may have none. */
function parseStatus(meta: unknown, path: string): Pick<RegistryServer, "status" | "statusMessage"> {
  const metadata = isJsonObject(meta) ? meta[REGISTRY_METADATA] : undefined;
  if (!isJsonObject(metadata)) return { status: "active" };
  const { status } = metadata;
  if (status !== undefined && status !== "active" && status !== "deprecated" && status !== "deleted") {
    throw new InvalidField(`${path} status`, "is not active, deprecated or deleted");
  }
  return { status: status ?? "active", ...optionalTexts(metadata, path, { statusMessage: "statusMessage" }) };
}

function parsePackage(value: unknown, path: string): RegistryPackage {
  const fields = readObject(value, path);
  const transport = readObject(fields["transport"], `${path}.transport`);
  return {
    registryType: readText(fields["registryType"], `${path}.registryType`),
    identifier: readText(fields["identifier"], `${path}.identifier`),
    transport: readText(transport["type"], `${path}.transport.type`),
    ...optionalTexts(fields, path, {
      version: "version",
      registryBaseUrl: "registryBaseUrl",
      runtimeHint: "runtimeHint",
    }),
    runtimeArguments: readList(fields["runtimeArguments"], `${path}.runtimeArguments`, parseArgument),
    packageArguments: readList(fields["packageArguments"], `${path}.packageArguments`, parseArgument),
    environmentVariables: readList(fields["environmentVariables"], `${path}.environmentVariables`, parsePair),
  };
}

function parseRemote(value: unknown, path: string): RegistryRemote {
  const fields = readObject(value, path);
  return {
    type: readText(fields["type"], `${path}.type`),
    url: readText(fields["url"], `${path}.url`),
    headers: readList(fields["headers"], `${path}.headers`, parsePair),
    variables: readMap(fields["variables"], `${path}.variables`, parseInput),
  };
}

function parseArgument(value: unknown, path: string): RegistryArgument {
  const fields = readObject(value, path);
  const type = fields["type"];
  if (type !== "named" && type !== "positional") throw new InvalidField(`${path}.type`, "is not named or positional");
  return {
    ...parseInputWithVariables(fields, path),
    ...(type === "named" && { flag: readText(fields["name"], `${path}.name`) }),
    ...(type === "positional" && optionalTexts(fields, path, { hint: "valueHint" })),
    repeated: readFlag(fields["isRepeated"], `${path}.isRepeated`),
  };
}

function parsePair(value: unknown, path: string): RegistryPair {
  const fields = readObject(value, path);
  return { ...parseInputWithVariables(fields, path), name: readText(fields["name"], `${path}.name`) };
}

/** Variables have no variables of their own, so that the depth of an answer is bounded. */
function parseInputWithVariables(fields: JsonObject, path: string): RegistryInput {
  return { ...parseInput(fields, path), variables: readMap(fields["variables"], `${path}.variables`, parseInput) };
}

function parseInput(value: unknown, path: string): RegistryInput {
  const fields = readObject(value, path);
  const choices = readList(fields["choices"], `${path}.choices`, readText);
  const format = readOptionalText(fields["format"], `${path}.format`);
  return {
    required: readFlag(fields["isRequired"], `${path}.isRequired`),
    secret: readFlag(fields["isSecret"], `${path}.isSecret`),
    format: FORMATS.find((known) => known === format) ?? "string",
    ...optionalTexts(fields, path, {
      description: "description",
      value: "value",
      default: "default",
      placeholder: "placeholder",
    }),
    ...(choices.length > 0 && { choices }),
    variables: {},
  };
}

/** Reads the texts that are present. `names` maps each key of the result to the field that it is read from. */
function optionalTexts<Key extends string>(
  fields: JsonObject,
  path: string,
  names: { readonly [K in Key]: string },
): { readonly [K in Key]?: string } {
  const entries = Object.entries<string>(names).flatMap(([key, field]) => {
    const text = readOptionalText(fields[field], `${path}.${field}`);
    return text === undefined ? [] : [[key, text]];
  });
  return Object.fromEntries(entries) as { readonly [K in Key]?: string };
}

/** Returns the error instead of throwing it, so that one invalid package or remote does not hide the others. */
function orInvalid<Part>(parse: (value: unknown, path: string) => Part) {
  return (value: unknown, path: string): OrInvalid<Part> => {
    try {
      return parse(value, path);
    } catch (error) {
      if (!(error instanceof InvalidField)) throw error;
      return { invalid: error.message };
    }
  };
}
