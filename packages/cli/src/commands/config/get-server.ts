/** Implements `plugboard get`. */
import { describeSandbox, sanitizeLine } from "@plugboard/contracts";
import type { DescribedDefinition, EditableScope } from "@plugboard/contracts";
import { parseServerFlags } from "../../arguments/parse-server-flag.ts";
import { renderJson } from "../../terminal/render-json.ts";
import { makeQuoter } from "../../render/quote-untrusted.ts";
import { renderProblem } from "../../render/render-problem.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { withOperations } from "../../workspace/with-operations.ts";

interface GetInput {
  readonly server: string;
  readonly scope: EditableScope | "effective" | undefined;
  readonly config: readonly string[];
  readonly mcpServer: readonly string[];
  readonly json: boolean;
}

/** Shows the definition of one server, and the problems of its entry. Starts no server. */
export async function getServer(input: GetInput, cli: CliContext): Promise<number> {
  const { server: id, scope = "effective", mcpServer, config, json } = input;
  const options = scope === "effective" ? { servers: parseServerFlags(mcpServer) } : { scope };
  const description = await withOperations(cli, (operations) => operations.describeServer(id, options), {
    config: scope === "effective" ? config : [],
  });
  const { untrusted = false, otherFiles, problems, ...described } = description;
  for (const problem of problems) cli.stderr.write(renderProblem(problem));
  if (json) cli.stdout.json({ ...described, ...(untrusted && { untrusted }), otherFiles });
  else cli.stdout.write(renderDefinition(described, untrusted, otherFiles, cli.stdout.columns));
  return 0;
}

function renderDefinition(
  { id, source, file, enabled, invalid, transport, target, config, sandbox }: DescribedDefinition,
  untrusted: boolean,
  otherFiles: readonly { readonly source: string; readonly file: string }[],
  columns: number,
): string {
  const describeEnabled = () => {
    if (invalid !== undefined) return `invalid: ${invalid}`;
    if (untrusted) return `not yet; to approve it, run: plugboard trust ${id}`;
    return enabled ? "yes" : "no";
  };
  const rows: [string, string | undefined][] = [
    ["scope", source],
    ["file", file],
    ["transport", transport],
    ["enabled", describeEnabled()],
    [transport === "stdio" ? "runs" : "calls", target],
    ["sandbox", sandbox && describeSandbox(sandbox)],
    ...otherFiles.map((other): [string, string] => ["also in", `${other.file} (${other.source})`]),
  ];
  const lines = rows.map(([name, value]) =>
    value === undefined ? "" : `  ${`${name}:`.padEnd(12)}${sanitizeLine(value)}\n`,
  );
  const definition = config ? `Definition:\n${makeQuoter({ columns })(renderJson(config))}` : "";
  return [`${id}\n`, ...lines, definition].join("");
}
