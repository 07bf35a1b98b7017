/** How clients refer to variables, secrets and files inside the strings of an entry. */

/** What a placeholder stands for. */
export type Placeholder =
  | { readonly type: "variable"; readonly name: string; readonly fallback?: string | undefined }
  | { readonly type: "secret"; readonly name: string }
  | { readonly type: "file"; readonly path: string }
  | { readonly type: "text"; readonly text: string }
  /** The folder that is open in the client. */
  | { readonly type: "workspace" }
  | { readonly type: "home" }
  /** The path separator of the platform. */
  | { readonly type: "separator" }
  /** A placeholder that Plugboard has no counterpart for. */
  | { readonly type: "unknown"; readonly text: string };

export interface Dialect {
  /**
   * Matches every placeholder. Also matches an unclosed placeholder, up to the end of the text. Otherwise, a text with
   * many unclosed placeholders would take quadratic time. Must have the flag `g`.
   */
  readonly pattern: RegExp;
  /** Receives a match of `pattern` with its groups. */
  readonly read: (match: readonly (string | undefined)[]) => Placeholder;
  /** Returns undefined for a placeholder that the client can't express. */
  readonly write: (placeholder: Placeholder) => string | undefined;
}

/** Returns the placeholders of a text, with their positions. */
export function findPlaceholders(text: string, { pattern, read }: Dialect): FoundPlaceholder[] {
  return [...text.matchAll(pattern)].flatMap((match) => {
    const isOpen = /^\$?\{/.test(match[0]) && !match[0].endsWith("}");
    return isOpen ? [] : [{ placeholder: read(match), start: match.index, end: match.index + match[0].length }];
  });
}

export interface FoundPlaceholder {
  readonly placeholder: Placeholder;
  readonly start: number;
  readonly end: number;
}

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** The dialect of a client that expands no placeholders. */
export const NO_PLACEHOLDERS: Dialect = {
  pattern: /(?!)/g,
  read: ([text = ""]) => ({ type: "text", text }),
  write: () => undefined,
};

/** `${NAME}` and `${NAME:-default}`, as in Claude Code and in Plugboard. */
export const SHELL_BRACES: Dialect = {
  pattern: /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?(?:\}|$)/g,
  read: ([, name = "", fallback]) => ({ type: "variable", name, fallback }),
  write: (placeholder) => (placeholder.type === "variable" ? writeShellBraces(placeholder) : undefined),
};

/** The placeholders of Plugboard and of editors, in files of no known client. */
export const MIXED: Dialect = {
  pattern: /\$(\$\{)|\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?(?:\}|$)|\$\{(env|input):([^}]*)(?:\}|$)/g,
  read: ([text = "", escaped, name, fallback, prefix, content]) => {
    if (escaped !== undefined) return { type: "text", text: escaped };
    return name === undefined ? readPrefixed([text, prefix, content]) : { type: "variable", name, fallback };
  },
  write: SHELL_BRACES.write,
};

/** `$NAME`, `${NAME}`, `${NAME:-default}` and `%NAME%`, as in Gemini CLI. */
export const SHELL_LIKE: Dialect = {
  pattern: /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?(?:\}|$)|\$([A-Za-z_][A-Za-z0-9_]*)|%([A-Za-z_][A-Za-z0-9_]*)%/g,
  read: ([, braced, fallback, bare, percent]) => ({
    type: "variable",
    name: braced ?? bare ?? percent ?? "",
    fallback,
  }),
  write: SHELL_BRACES.write,
};

/** `${NAME}` and `$NAME`, as in the headers of Goose. */
export const SHELL_WITHOUT_DEFAULT: Dialect = {
  pattern: /\$\{([A-Za-z_][A-Za-z0-9_]*)\}|\$([A-Za-z_][A-Za-z0-9_]*)/g,
  read: ([, braced, bare]) => ({ type: "variable", name: braced ?? bare ?? "" }),
  write: (placeholder) =>
    placeholder.type === "variable" && placeholder.fallback === undefined ? `\${${placeholder.name}}` : undefined,
};

/** `${env:NAME}`, `${userHome}`, `${workspaceFolder}` and others, as in Cursor. */
export const CURSOR_VARIABLES: Dialect = editorDialect(
  /\$\{(env|command|config):([^}]*)(?:\}|$)|\$\{(userHome|workspaceFolder|workspaceFolderBasename|pathSeparator|\/)\}/g,
);

/** The variables of Cursor, and `${input:id}`, which VS Code asks for. */
export const VSCODE_VARIABLES: Dialect = editorDialect(
  /\$\{(env|input|command|config|workspaceFolder):([^}]*)(?:\}|$)|\$\{(userHome|workspaceFolder|workspaceFolderBasename|pathSeparator|\/)\}/g,
  { secret: (name) => `\${input:${name}}` },
);

/** `${env:NAME}` and `${file:path}`, as in Windsurf. */
export const ENV_AND_FILE_BRACES: Dialect = editorDialect(/\$\{(env|file):([^}]*)(?:\}|$)/g, {
  file: (path) => `\${file:${path}}`,
});

/** `{env:NAME}` and `{file:path}`, as in opencode. */
export const ENV_AND_FILE: Dialect = editorDialect(/\{(env|file):([^}]*)(?:\}|$)/g, {
  variable: (name) => `{env:${name}}`,
  file: (path) => `{file:${path}}`,
});

interface PlaceholderFormats {
  readonly variable?: (name: string) => string;
  readonly secret?: (name: string) => string;
  readonly file?: (path: string) => string;
}

/** Returns a dialect whose placeholders have a prefix, such as `env:`, and no default. */
function editorDialect(pattern: RegExp, formats: PlaceholderFormats = {}): Dialect {
  const { variable = (name: string) => `\${env:${name}}`, secret, file } = formats;
  return {
    pattern,
    read: readPrefixed,
    write: (placeholder) => {
      if (placeholder.type === "file") return placeholder.path.includes("}") ? undefined : file?.(placeholder.path);
      if (placeholder.type === "secret") return placeholder.name.includes("}") ? undefined : secret?.(placeholder.name);
      if (placeholder.type !== "variable" || placeholder.fallback !== undefined) return undefined;
      return variable(placeholder.name);
    },
  };
}

function readPrefixed([text = "", prefix, content = "", word]: readonly (string | undefined)[]): Placeholder {
  if (prefix === "env" && NAME.test(content)) return { type: "variable", name: content };
  if (prefix === "file" && content !== "") return { type: "file", path: content };
  if (prefix === "input" && content !== "") return { type: "secret", name: content };
  if (word === "workspaceFolder") return { type: "workspace" };
  if (word === "userHome") return { type: "home" };
  if (word === "pathSeparator" || word === "/") return { type: "separator" };
  return { type: "unknown", text };
}

function writeShellBraces({ name, fallback }: { name: string; fallback?: string | undefined }): string {
  return fallback === undefined ? `\${${name}}` : `\${${name}:-${fallback}}`;
}
