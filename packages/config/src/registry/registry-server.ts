/** A server as a registry publishes it (`server.json`), after its fields are checked. The texts are still untrusted. */
import type { PublishedServer, RegistryInputField } from "@plugboard/contracts";

export interface RegistryServer extends PublishedServer {
  readonly packages: readonly OrInvalid<RegistryPackage>[];
  readonly remotes: readonly OrInvalid<RegistryRemote>[];
}

/** `invalid` says which field is wrong. The other parts of the server can still be used. */
export type OrInvalid<Part> = Part | { readonly invalid: string };

/** A package that starts the server on this machine. */
export interface RegistryPackage {
  /** Such as `npm`, `pypi`, `oci`, `nuget` or `mcpb`. */
  readonly registryType: string;
  readonly registryBaseUrl?: string;
  readonly identifier: string;
  readonly version?: string;
  readonly runtimeHint?: string;
  readonly transport: string;
  readonly runtimeArguments: readonly RegistryArgument[];
  readonly packageArguments: readonly RegistryArgument[];
  readonly environmentVariables: readonly RegistryPair[];
}

/** A server at a URL. */
export interface RegistryRemote {
  readonly type: string;
  /** May contain `{name}` for each of its variables. */
  readonly url: string;
  readonly headers: readonly RegistryPair[];
  readonly variables: RegistryVariables;
}

/** A value that the publisher has fixed, or that the user supplies. */
export interface RegistryInput extends Pick<
  RegistryInputField,
  "description" | "required" | "secret" | "format" | "default" | "placeholder" | "choices"
> {
  /** Fixed by the publisher. May contain `{name}` for each of its variables. */
  readonly value?: string;
  readonly variables: RegistryVariables;
}

type RegistryVariables = { readonly [name: string]: RegistryInput };

/** An environment variable or a header. */
export interface RegistryPair extends RegistryInput {
  readonly name: string;
}

export interface RegistryArgument extends RegistryInput {
  /** The flag of a named argument, with its dashes. Absent for a positional argument. */
  readonly flag?: string;
  /** What a positional argument is called. It is not part of the command line. */
  readonly hint?: string;
  readonly repeated: boolean;
}
