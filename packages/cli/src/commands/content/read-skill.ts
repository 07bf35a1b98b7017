/** Implements `plugboard skill read`. */
import {
  EXIT_STATUSES,
  HostError,
  isUri,
  resolveSkillFile,
  skillFilePath,
  skillFileProblem,
} from "@plugboard/contracts";
import type { Skill } from "@plugboard/contracts";
import { usageError } from "../../command-line/usage-error.ts";
import { renderTable } from "../../render/render-table.ts";
import { renderToolResult } from "../../render/tools/render-tool-result.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { withWorkspace } from "../../workspace/with-workspace.ts";
import type { CommandContext, CommandOptions } from "../../workspace/with-workspace.ts";

interface ReadSkillInput extends CommandOptions {
  readonly server: string | undefined;
  readonly skill: string;
  readonly file: string | undefined;
  readonly files: boolean;
}

interface SkillKey {
  readonly server: string;
  readonly uri: string;
}

const COMMAND = "skill read";

/** Prints a file of a skill, or the list of its files. */
export function readSkill(input: ReadSkillInput, cli: CliContext): Promise<number> {
  const { stdout, stderr } = cli;
  return withWorkspace(input, cli, async (context) => {
    const { workspace, interrupted: signal } = context;
    const { server, uri } = await findSkill(input, context);
    if (input.files) {
      const skill = await workspace.skills.get(server, uri, { signal });
      if (input.json) stdout.json(skill);
      else stdout.write(renderFiles(skill));
      return 0;
    }
    const stop = cli.liveLine.show(() => `reading ${uri}`);
    const file = input.file === undefined ? uri : resolveSkillFile(uri, input.file);
    const read = await workspace.skills.read(server, uri, file, { signal }).finally(stop);
    if (input.json) stdout.json(read);
    else
      stdout.content(renderToolResult({ content: read.contents.map((resource) => ({ type: "resource", resource })) }));
    const problem = skillFileProblem(read.state);
    if (problem !== undefined && !input.json) stderr.write(`${problem}\n`);
    return problem === undefined ? 0 : EXIT_STATUSES.failed.status;
  });
}

function renderFiles({ uri, files }: Skill): string {
  if (files === "dynamic") return "The server generates the files of this skill and does not list them.\n";
  return renderTable(
    ["FILE", "BYTES", "DIGEST"],
    files.map((file) => [skillFilePath(uri, file.uri), String(file.size ?? "–"), file.digest ?? "–"]),
  );
}

/** A skill that its server does not list can be read by server and URI. */
async function findSkill({ server, skill }: ReadSkillInput, { workspace, interrupted }: CommandContext) {
  if (server !== undefined && isUri(skill)) return { server, uri: skill };
  const { skills } = await workspace.skills.list({ ...(server !== undefined && { server }), signal: interrupted });
  const found = skills.filter(({ uri, name }) => uri === skill || name === skill);
  const [first] = found;
  if (!first) throw new HostError("NOT_FOUND", { subject: `skill "${skill}" in the lists of the servers` });
  if (found.length > 1) throw severalSkills(found);
  return first;
}

function severalSkills(found: readonly SkillKey[]): HostError {
  const keys = found.map(({ server, uri }) => `${server} ${uri}`);
  const message = `several skills match (${keys.join(", ")}); name one: plugboard skill read ${keys[0]!}`;
  return usageError(message, { command: COMMAND });
}
