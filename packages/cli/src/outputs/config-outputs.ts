/** What the commands that read and change config files print with --json. */
import type {
  ConfigSource,
  EditableScope,
  EnabledServer,
  JsonObject,
  Profile,
  RegistryEntry,
  RegistrySecret,
  SavedServer,
  ServerDescription,
  TransportName,
} from "@plugboard/contracts";

export interface AddOutput extends Pick<SavedServer, "action" | "scope" | "hiddenBy" | "overrides"> {
  readonly id: string;
  /** The config file with the entry. */
  readonly file: string;
  readonly transport: TransportName;
  readonly enabled: boolean;
  /** The command or URL as written, with possible secrets masked. */
  readonly target: string;
  /** False if your approval of the definition could not be stored. */
  readonly trusted: boolean;
  /** The definition without default values. Values that may be secrets are masked. */
  readonly config: JsonObject;
  readonly warnings: readonly string[];
  /** Only with --from-registry: what you must set before the first use. */
  readonly needs?: { readonly secrets: readonly RequiredSecret[]; readonly variables: RegistryEntry["variables"] };
}

/** A secret to store with `plugboard secret set`. */
export type RequiredSecret = Omit<RegistrySecret, "value">;

export type GetOutput = Omit<ServerDescription, "problems">;

export interface EnableOutput extends Pick<EnabledServer, "id" | "file" | "changed" | "effective"> {
  readonly scope: EditableScope;
  /** What the file says now. */
  readonly enabled: boolean;
}

export interface ConfigFileOutput {
  readonly layer: ConfigSource;
  readonly file: string;
  readonly exists: boolean;
  /** The first reason why the file can't be used. */
  readonly invalid?: string;
}

export interface ProfileOutput {
  readonly name: string;
  /** The changed file. */
  readonly file: string;
  readonly action: "added" | "replaced" | "unchanged" | "removed";
  readonly profile?: Profile;
}
