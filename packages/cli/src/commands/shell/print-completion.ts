/** Implements `plugboard completion`: prints a script with which a shell completes commands, servers and tools. */
import type { CliContext } from "../../terminal/cli-context.ts";

export type ShellName = "bash" | "zsh" | "fish" | "powershell";

export async function printCompletion(
  { shell, json }: { readonly shell: ShellName; readonly json: boolean },
  { stdout }: CliContext,
): Promise<number> {
  const script = SCRIPTS[shell];
  if (json) stdout.json({ shell, script });
  else stdout.content(script);
  return 0;
}

/**
 * Each script calls `plugboard suggest`, which prints a value, a tab and a description on each line. The shell adds no
 * space after a value that ends with `:`, `=` or `/`, because it is only the beginning of a word.
 */
const SCRIPTS: { readonly [Name in ShellName]: string } = {
  bash: `# Completion of plugboard for bash. Add to ~/.bashrc:  source <(plugboard completion bash)
_plugboard() {
  local line=\${COMP_LINE:0:COMP_POINT} value about breaks prefix
  local -a words
  read -ra words <<< "$line"
  [[ $line == *[[:space:]] ]] && words+=("")
  COMPREPLY=()
  # Bash replaces only the part of the word after the last of these characters.
  breaks=\${COMP_WORDBREAKS//[!:=@]/}
  prefix=
  [[ -n $breaks ]] && prefix=\${words[-1]%"\${words[-1]##*[$breaks]}"}
  while IFS=$'\\t' read -r value about; do
    [[ $value == *[:=/] ]] && compopt -o nospace
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
  local -a values beginnings
  local value about entry
  while IFS=$'\\t' read -r value about; do
    entry="\${value//:/\\\\:}:$about"
    if [[ $value == *[:=/] ]]; then beginnings+=("$entry"); else values+=("$entry"); fi
  done < <(plugboard suggest -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( ! \${#values} && ! \${#beginnings} )); then _files; return; fi
  (( \${#values} )) && _describe plugboard values
  (( \${#beginnings} )) && _describe plugboard beginnings -S ''
}
compdef _plugboard plugboard
`,
  fish: `# Completion of plugboard for fish. Save as ~/.config/fish/completions/plugboard.fish
# Fish itself adds no space after a value that ends with ":", "=" or "/".
function __plugboard_suggest
  set -l words (commandline -opc) (commandline -ct)
  plugboard suggest -- $words[2..-1] 2>/dev/null
end
complete -c plugboard -f -a "(__plugboard_suggest)"
`,
  powershell: `# Completion of plugboard for PowerShell. Add to the file that $PROFILE names:
#   plugboard completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName plugboard -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @($commandAst.CommandElements | Select-Object -Skip 1 |
    Where-Object { $_.Extent.StartOffset -lt $cursorPosition } | ForEach-Object { $_.Extent.Text })
  if ($wordToComplete -eq '') {
    # Older versions drop an empty argument.
    $words += if ($PSVersionTable.PSVersion -lt [version]'7.3') { '""' } else { '' }
  }
  plugboard suggest -- $words 2>$null | ForEach-Object {
    $value, $about = $_ -split "\`t", 2
    if (-not $about) { $about = $value }
    # A name with a meaning to the shell is quoted.
    $text = if ($value -match '^[\\w:=./@+-]+$') { $value } else { "'" + $value.Replace("'", "''") + "'" }
    [System.Management.Automation.CompletionResult]::new($text, $value, 'ParameterValue', $about)
  }
}
`,
};
