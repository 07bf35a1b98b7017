/**
 * The keys of the sections `profiles`, `gateway` and `model`. Validation, types, the JSON Schema and the tables of
 * `docs/config.md` are made from these rows. A new key needs its row here, and the code that it changes.
 */
import { DEFAULT_NAMING, NAMINGS } from "@plugboard/contracts";
import type { CamelCase, Profile } from "@plugboard/contracts";
import type { SectionValueTypes } from "./section-values.ts";

export interface SectionRow {
  /** An `object` has the keys in `keys`. A `map` has an object with these keys for each name. */
  readonly type: keyof SectionValueTypes | "object" | "map";
  readonly keys?: SectionKeys;
  /** For a `map`: the pattern of its names, by default any name, and the placeholder for a name in the docs. */
  readonly names?: { readonly pattern?: string; readonly placeholder: string };
  readonly required?: true;
  readonly default?: number;
  /**
   * Says in `docs/config.md` what applies without the key. By default, the docs show `default`. An object with this
   * text gets one row in the docs, and its keys get none.
   */
  readonly defaultText?: string;
  /** One line, for editors and `docs/config.md`. */
  readonly description?: string;
  /** More for `docs/config.md`, as Markdown. */
  readonly details?: string;
}

export interface SectionKeys {
  readonly [key: string]: SectionRow;
}

/** The characters that need no encoding in a URL, because a profile is requested by a URL with its name. */
export const NAME_PATTERN = "^[a-zA-Z0-9_-]{1,64}$";

const rules = { type: "rules" } as const;

/** The rules of a file, and those of a profile. */
export const PERMISSION_KEYS = { allow: rules, ask: rules, deny: rules } as const satisfies SectionKeys;

export const PROFILE_KEYS = {
  servers: {
    type: "server_ids",
    defaultText: "all",
    description: "The ids of the servers.",
    details:
      "The tools, resources, prompts, instructions, log entries, tasks and extensions of other servers are hidden.",
  },
  tools: {
    type: "object",
    keys: {
      include: {
        type: "tool_patterns",
        defaultText: "all",
        description: "The tools as server:tool, with * for any characters.",
        details: "A server is hidden as a whole if no included tool can be its own.",
      },
      exclude: {
        type: "tool_patterns",
        defaultText: "none",
        description: "The tools that are hidden, as server:tool, with * for any characters.",
        details: "A server is hidden as a whole if all its tools are.",
      },
    },
  },
  permissions: {
    type: "object",
    keys: PERMISSION_KEYS,
    defaultText: "none",
    description: "Rules that apply together with all others.",
    details: "`allow`, `ask` and `deny`: lists of [rules](#permissions). A `deny` still wins, wherever it is.",
  },
  naming: {
    type: "profile_naming",
    defaultText: "`{server}__{tool}`",
    description:
      "The names of tools and prompts. A pattern of only `{tool}` is allowed only if `servers` has exactly one server.",
  },
  cwd: {
    type: "folder",
    defaultText: "that of `plugboard serve`",
    description: "The folder whose servers HTTP clients see: an absolute path, or one that begins with ~/.",
    details: "`plugboard stdio` always uses its own folder.",
  },
  max_result_bytes: {
    type: "result_size",
    defaultText: "no limit, [1 MiB over stdio](gateway.md#long-results-over-stdio)",
    description: "The most bytes of text in a result, at least 1000.",
    details: "Longer results are cut. The client reads the rest as a resource.",
  },
} as const satisfies { readonly [Key in keyof Required<Profile>]: SectionRow };

export const GATEWAY_KEYS = {
  auth: {
    type: "object",
    keys: {
      issuer: {
        type: "https_url",
        required: true,
        description: "The URL of the authorization server whose tokens are accepted, exactly as in the claim `iss`.",
        details: "Must be https, except on this machine.",
      },
      audience: {
        type: "texts",
        required: true,
        description: "The accepted value of the claim `aud`, or a list. Usually the URL of the gateway.",
      },
      scopes: {
        type: "scopes",
        required: true,
        description: "The profile that each scope opens. `*` stands for all servers.",
        details: "A token with several scopes opens all their profiles.",
      },
      jwks_uri: {
        type: "https_url",
        defaultText: "from the issuer's metadata",
        description: "The URL of the issuer's keys.",
      },
      approve_scope: {
        type: "scope",
        defaultText: "none",
        description: "The scope whose holders may approve calls in their own client.",
      },
    },
  },
  requests_per_second: {
    type: "count",
    default: 1000,
    description: "The limit of requests per second of each client.",
  },
} as const satisfies SectionKeys;

const amount = { type: "amount" } as const;

/** The keys of the section `model`, if it is not only the name of a model. */
export const MODEL_KEYS = {
  default: {
    type: "model_id",
    defaultText: "none",
    description: "The model of chats, as provider/model.",
    details:
      'The variable `PLUGBOARD_MODEL` overrides it, and `--model` overrides both. `"model": "provider/model"` is short for `default` alone.',
  },
  providers: {
    type: "map",
    // A model is written as `provider/model`, so the name of a provider has no slash.
    names: { pattern: "^[a-zA-Z0-9][a-zA-Z0-9._-]{0,63}$", placeholder: "<name>" },
    description: "The providers of models by name.",
    keys: {
      base_url: {
        type: "web_url",
        defaultText: "that of a known provider",
        description: "The URL of the provider's API.",
        details: "A provider that is not in the list below has an OpenAI-compatible API and needs this key.",
      },
      api_key: {
        type: "value",
        defaultText: "see below",
        description: "The API key, usually a reference to a secret or a variable.",
        details: "See [Variables and secrets](#variables-and-secrets).",
      },
      models: {
        type: "map",
        names: { placeholder: "<model>" },
        keys: {
          context_tokens: {
            type: "count",
            defaultText: "unknown",
            description: "The size of the model's context window.",
            details:
              "A chat is compacted before it is full. Without it, the chat is compacted when the provider answers that the context is too long.",
          },
          price: {
            type: "object",
            keys: {
              input: { ...amount, required: true },
              output: { ...amount, required: true },
              cache_read: amount,
              cache_write: amount,
            },
            defaultText: "unknown",
            description: "The price in US dollars per million tokens, to show the cost.",
            details: "`input`, `output`, and optionally `cache_read` and `cache_write`.",
          },
        },
      },
    },
  },
} as const satisfies SectionKeys;

/** The sections of a config file, in the order in which they are documented. They are inside `mcp`. */
export const FILE_SECTIONS = {
  servers: {
    defaultText: "none",
    description: "The servers by id.",
    details: "An id is 1 to 64 of `A–Z a–z 0–9 _ -`, except `__proto__` and `native`.",
  },
  permissions: {
    defaultText: "none",
    description: "Rules that allow, ask about or deny tool calls.",
    details: "`allow`, `ask` and `deny`: lists of rules, see [Permissions](#permissions).",
  },
  sandbox_default: {
    defaultText: "none",
    description: "The sandbox of all stdio servers of projects. A project can narrow it, but not widen it.",
    details: "Ignored in a project. See [Sandbox](#sandbox).",
  },
  terminal_sandbox: {
    defaultText: "none",
    description: "The sandbox of the commands that a model runs with the tool terminal.",
    details: "The same values as `sandbox_default`. Ignored in a project. See [The host's own tools](native-tools.md).",
  },
  naming: {
    defaultText: `\`${DEFAULT_NAMING}\``,
    description: "The format of tool names that models see.",
    details: `In the library and on the command line; the gateway has [names of its own](gateway.md#profiles-and-names). One of ${NAMINGS.map((naming) => `\`${naming}\``).join(", ")}.`,
  },
  profiles: {
    defaultText: "none",
    description: "Named views of the catalog, for the gateway.",
    details: "See [Profiles](#profiles).",
  },
  gateway: {
    defaultText: "none",
    description: "How clients of the gateway over HTTP are identified and limited.",
    details: "See [Gateway](#gateway).",
  },
  model: {
    defaultText: "none",
    description: "The model of chats, and where models are reached.",
    details: "See [Models](#models).",
  },
} as const satisfies { readonly [section: string]: Omit<SectionRow, "type"> };

/** The value of a section after validation. Its keys are spelled as in the code. */
export type SectionValue<Keys extends SectionKeys> = {
  readonly [Key in RequiredKey<Keys> as CamelCase<Key>]: RowValue<Keys[Key]>;
} & {
  readonly [Key in Exclude<keyof Keys & string, RequiredKey<Keys>> as CamelCase<Key>]?: RowValue<Keys[Key]>;
};

type RequiredKey<Keys extends SectionKeys> = {
  [Key in keyof Keys & string]: Keys[Key] extends { readonly required: true } ? Key : never;
}[keyof Keys & string];

type RowValue<Row extends SectionRow> = Row extends { readonly keys: infer Keys extends SectionKeys }
  ? Row extends { readonly type: "map" }
    ? { readonly [name: string]: SectionValue<Keys> }
    : SectionValue<Keys>
  : Row["type"] extends keyof SectionValueTypes
    ? SectionValueTypes[Row["type"]]
    : never;
