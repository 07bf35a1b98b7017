/** Turns a package of a registry's server into the command that downloads and runs it. */
import { ChoiceInputs } from "./choice-inputs.ts";
import type { RegistryArgument, RegistryPackage } from "./registry-server.ts";
import type { ArgumentTemplate, ServerChoice } from "./server-choice.ts";

interface PackageRunner {
  /** The first command is the default. The package may suggest another one. */
  readonly commands: readonly [string, ...string[]];
  /** Arguments that every package gets. A package may repeat them among its own. */
  readonly arguments: readonly string[];
  /** Matches valid identifiers. Excludes options, paths and URLs. */
  readonly identifier: RegExp;
  /** Returns the package with its version, as the command expects it. */
  readonly spec: (part: RegistryPackage) => string;
  /** The argument between the package and the arguments of the server. */
  readonly separator?: string;
  /** The flag that passes an environment variable into a container. */
  readonly environmentFlag?: string;
}

const RUNNERS: { readonly [registryType: string]: PackageRunner } = {
  npm: {
    commands: ["npx", "bunx"],
    arguments: ["-y"],
    identifier: /^(?:@[a-z0-9~][\w.~-]*\/)?[a-z0-9~][\w.~-]*$/i,
    spec: ({ identifier, version }) => withVersion(identifier, "@", version),
  },
  pypi: {
    commands: ["uvx"],
    arguments: [],
    identifier: /^[a-z0-9](?:[\w.-]*[a-z0-9])?$/i,
    spec: ({ identifier, version }) => withVersion(identifier, "==", version),
  },
  nuget: {
    commands: ["dnx"],
    arguments: ["--yes"],
    identifier: /^\w[\w.-]*$/,
    spec: ({ identifier, version }) => withVersion(identifier, "@", version),
    separator: "--",
  },
  oci: {
    commands: ["docker", "podman"],
    arguments: ["run", "-i", "--rm"],
    identifier: /^[a-z0-9][\w./-]*(?::\d+\/[\w./-]+)?(?::[\w.-]+)?(?:@sha256:[0-9a-f]{64})?$/i,
    spec: imageSpec,
    environmentFlag: "-e",
  },
};

const VERSION = /^[a-z0-9][\w.+!-]*$/i;
const ENVIRONMENT_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

export function packageChoice(part: RegistryPackage): ServerChoice {
  const { registryType, identifier, version, runtimeHint, transport } = part;
  const label = [registryType, "package", identifier, ...(version === undefined ? [] : [version])].join(" ");
  const runner = Object.hasOwn(RUNNERS, registryType) ? RUNNERS[registryType] : undefined;
  const unsupported = runner ? findProblem(part, runner) : `Plugboard can't run packages of the type ${registryType}`;
  if (!runner || unsupported !== undefined) return { label, unsupported: unsupported ?? transport };
  const spec = runner.spec(part);
  const given = [...runner.arguments, identifier, spec];
  const inputs = new ChoiceInputs();
  const runtimeArguments = part.runtimeArguments
    .filter((argument) => !given.includes(argument.flag ?? argument.value ?? ""))
    .map((argument) => (isBareFlag(argument) ? literal(argument.flag!) : inputs.argument(argument)));
  const packageArguments = part.packageArguments.map((argument) => inputs.argument(argument));
  const { separator, environmentFlag } = runner;
  const args: ArgumentTemplate[] = [
    ...runner.arguments.map(literal),
    ...runtimeArguments,
    ...(environmentFlag === undefined ? [] : [{ eachEnvironmentName: environmentFlag }]),
    literal(spec),
    ...(separator === undefined || packageArguments.length === 0 ? [] : [literal(separator)]),
    ...packageArguments,
  ];
  const command = runner.commands.find((known) => known === runtimeHint) ?? runner.commands[0];
  const env = inputs.pairs(part.environmentVariables, "environment");
  return { label, template: { transport: "stdio", command, args, env }, inputs: inputs.list };
}

function findProblem(part: RegistryPackage, runner: PackageRunner): string | undefined {
  const { identifier, version, transport, environmentVariables } = part;
  if (transport !== "stdio") return "it serves HTTP. Start it yourself, then add its URL";
  if (!runner.identifier.test(identifier)) return "its identifier is not a valid package name";
  // The host of an image is another field of the registry, and becomes the beginning of the name.
  if (runner.spec === imageSpec && !runner.identifier.test(imageSpec(part))) return "the image name is invalid";
  if (version !== undefined && !VERSION.test(version)) return "its version is not valid";
  const isValid = environmentVariables.every(({ name }) => ENVIRONMENT_NAME.test(name));
  return isValid ? undefined : "the name of one of its environment variables is not valid";
}

/** Publishers write flags such as `--privileged` as named arguments without a value. */
function isBareFlag({
  flag,
  value,
  default: fallback,
  choices,
  placeholder,
  secret,
  format,
}: RegistryArgument): boolean {
  const hasValue = value ?? fallback ?? choices ?? placeholder;
  return flag !== undefined && hasValue === undefined && !secret && format !== "number" && format !== "filepath";
}

function literal(text: string): ArgumentTemplate {
  return { value: [text] };
}

function withVersion(identifier: string, separator: string, version: string | undefined): string {
  return version === undefined ? identifier : `${identifier}${separator}${version}`;
}

/** Older entries have the host of the image in `registryBaseUrl` and the tag in `version`. */
function imageSpec({ identifier, version, registryBaseUrl }: RegistryPackage): string {
  const host = registryBaseUrl === undefined ? undefined : registryBaseUrl.replace(/^https?:\/\/|\/+$/g, "");
  const hasHost = /^[^/]+[.:][^/]*\//.test(identifier);
  const image = host === undefined || hasHost ? identifier : `${host}/${identifier}`;
  const hasTag = /[:@]/.test(image.slice(image.lastIndexOf("/")));
  return hasTag ? image : withVersion(image, ":", version);
}
