/** One way to run a server of a registry: a template of a server entry, whose inputs the user supplies. */
import type { RegistryInputField, UnsupportedRegistryChoice } from "@plugboard/contracts";

export type ServerChoice = SupportedChoice | UnsupportedRegistryChoice;

export interface SupportedChoice {
  /** Such as `npm package @example/server 1.0.2`. */
  readonly label: string;
  readonly template: EntryTemplate;
  /** Values that the user supplies. */
  readonly inputs: readonly RegistryInputField[];
}

type EntryTemplate =
  | {
      readonly transport: "stdio";
      readonly command: string;
      readonly args: readonly ArgumentTemplate[];
      readonly env: { readonly [name: string]: ValueTemplate };
    }
  | {
      readonly transport: "http" | "sse";
      readonly url: ValueTemplate;
      readonly headers: { readonly [name: string]: ValueTemplate };
    };

export type ArgumentTemplate =
  | {
      readonly flag?: string;
      readonly value: ValueTemplate;
      /** True for `--flag=value`, false for `--flag value`. */
      readonly joined?: boolean;
    }
  | {
      /** A flag such as `-e`. It is repeated before the name of each environment variable. */
      readonly eachEnvironmentName: string;
    };

/** Literal texts and the names of inputs, in order. The value is left out if an optional input has no answer. */
export type ValueTemplate = readonly (string | { readonly input: string })[];
