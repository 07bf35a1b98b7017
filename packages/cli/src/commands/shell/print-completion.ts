/** Implements `plugboard completion`: prints a script that lets a shell complete commands, options, servers and tools. */
import type { CliContext } from "../../terminal/cli-context.ts";

export type Shell = "bash" | "zsh" | "fish";

interface CompletionInput {
  readonly shell: Shell;
  readonly json: boolean;
}

export async function printCompletion({ shell, json }: CompletionInput, { stdout }: CliContext): Promise<number> {
  const script = SCRIPTS[shell];
  if (json) stdout.json({ shell, script });
  else stdout.content(script);
  return 0;
}

/** Each script calls `plugboard suggest`, which prints a value, a tab and a description on each line. */
const SCRIPTS: { readonly [Name in Shell]: string } = {
  bash: `# Completion of plugboard for bash. Add to ~/.bashrc:  source <(plugboard completion bash)
_plugboard() {
  local line=\${COMP_LINE:0:COMP_POINT} value about prefix
  local -a words
  read -ra words <<< "$line"
  [[ $line == *[[:space:]] ]] && words+=("")
  COMPREPLY=()
  # Bash treats a colon as a word break, so only the part after the last colon is replaced.
  prefix=\${words[-1]%"\${words[-1]##*:}"}
  while IFS=$'\\t' read -r value about; do
    [[ $value == */ ]] && compopt -o nospace
    value=\${value#"$prefix"}
    # Bash inserts the value as it is, so characters with a meaning to the shell are escaped.
    [[ -n $value ]] && printf -v value %q "$value"
    COMPREPLY+=("$value")
  done < <(plugboard suggest -- "\${words[@]:1}" 2>/dev/null)
}
complete -o default -F _plugboard plugboard
`,
  zsh: `#compdef plugboard
# Completion of plugboard for zsh. Add to ~/.zshrc, after compinit:  source <(plugboard completion zsh)
_plugboard() {
  local -a values
  local value about
  while IFS=$'\\t' read -r value about; do
    values+=("\${value//:/\\\\:}:$about")
  done < <(plugboard suggest -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( \${#values} )); then _describe plugboard values; else _files; fi
}
compdef _plugboard plugboard
`,
  fish: `# Completion of plugboard for fish. Save as ~/.config/fish/completions/plugboard.fish
function __plugboard_suggest
  set -l words (commandline -opc) (commandline -ct)
  plugboard suggest -- $words[2..-1] 2>/dev/null
end
complete -c plugboard -f -a "(__plugboard_suggest)"
`,
};
