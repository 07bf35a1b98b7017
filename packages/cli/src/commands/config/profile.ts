/** Implements `plugboard profile list`, `set` and `remove`. */
import { resolve } from "node:path";
import type { Profile } from "@plugboard/contracts";
import { usageError } from "../../command-line/usage-error.ts";
import { renderTable } from "../../render/render-table.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { withOperations } from "../../workspace/with-operations.ts";

interface JsonInput {
  readonly json: boolean;
}

interface SetProfileInput extends JsonInput {
  readonly name: string;
  readonly server: readonly string[];
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  readonly allow: readonly string[];
  readonly ask: readonly string[];
  readonly deny: readonly string[];
  readonly naming: Profile["naming"];
  readonly cwd: string | undefined;
  readonly maxResultBytes: number | undefined;
}

/** Shows the profiles of all layers that may define some. */
export async function listProfiles({ json }: JsonInput, cli: CliContext): Promise<number> {
  const { stdout } = cli;
  const profiles = await withOperations(cli, (operations) => operations.profiles());
  if (json) stdout.json(profiles);
  else if (profiles.length === 0) stdout.write("No profiles. `plugboard profile set <name>` adds one.\n");
  else {
    const rows = profiles.map(({ name, source, profile }) => [name, source, ...describeProfile(profile)]);
    stdout.write(renderTable(["PROFILE", "SOURCE", "SERVERS", "TOOLS", "OTHER"], rows));
  }
  return 0;
}

function describeProfile(profile: Profile | null): string[] {
  if (!profile) return ["invalid", "–", "–"];
  const { servers, tools = {} } = profile;
  const excluded = (tools.exclude ?? []).map((pattern) => `not ${pattern}`);
  const toolList = [...(tools.include ?? []), ...excluded].join(", ") || "all";
  return [servers?.join(", ") ?? "all", toolList, describeSettings(profile) || "–"];
}

function describeSettings({ permissions = {}, naming, cwd, max_result_bytes: maxBytes }: Profile): string {
  const rules = Object.entries(permissions).flatMap(([effect, texts]) => texts.map((text) => `${effect} ${text}`));
  const settings = [naming && `names ${naming}`, cwd && `folder ${cwd}`, maxBytes && `results up to ${maxBytes} bytes`];
  return [...rules, ...settings.filter(Boolean)].join(", ");
}

/** Replaces the whole profile. Writes to the user's file, because a project may not define profiles. */
export async function setProfile(input: SetProfileInput, cli: CliContext): Promise<number> {
  const { name, server, json } = input;
  const { stdout } = cli;
  const profile = toProfile(input, cli.cwd);
  if (Object.keys(profile).length === 0)
    throw usageError("a profile needs at least one option, such as --server or --deny", { command: "profile set" });
  const { file, action } = await withOperations(cli, (operations) => operations.setProfile(name, profile));
  await warnUnknownServers(server, cli);
  if (json) stdout.json({ name, file, action, profile });
  else stdout.write(`The profile ${name} is ${action} in ${file}\n`);
  return 0;
}

function toProfile(input: SetProfileInput, cwd: string): Profile {
  const { server: servers, include, exclude, allow, ask, deny, naming, maxResultBytes } = input;
  const tools = withoutEmpty({ include, exclude });
  const permissions = withoutEmpty({ allow, ask, deny });
  return {
    ...withoutEmpty({ servers }),
    ...(Object.keys(tools).length > 0 && { tools }),
    ...(Object.keys(permissions).length > 0 && { permissions }),
    ...(naming !== undefined && { naming }),
    // Keeps `~`, because the home folder may differ between machines that share the file.
    ...(input.cwd !== undefined && { cwd: /^~(\/|$)/.test(input.cwd) ? input.cwd : resolve(cwd, input.cwd) }),
    ...(maxResultBytes !== undefined && { max_result_bytes: maxResultBytes }),
  };
}

function withoutEmpty<Lists extends { readonly [key: string]: readonly string[] }>(lists: Lists): Partial<Lists> {
  return Object.fromEntries(Object.entries(lists).filter(([, items]) => items.length > 0)) as Partial<Lists>;
}

/** Throws NOT_FOUND if the user's file has no such profile. */
export async function removeProfile(
  { name, json }: JsonInput & { readonly name: string },
  cli: CliContext,
): Promise<number> {
  const { file } = await withOperations(cli, (operations) => operations.removeProfile(name));
  if (json) cli.stdout.json({ name, file, action: "removed" });
  else cli.stdout.write(`Removed the profile ${name} from ${file}\n`);
  return 0;
}

/** Warns about ids of unknown servers, which may be typos, and suggests the most similar id. */
async function warnUnknownServers(ids: readonly string[], cli: CliContext): Promise<void> {
  if (ids.length === 0) return;
  for (const { id, suggestion } of await withOperations(cli, (operations) => operations.unknownServers(ids))) {
    const hint = suggestion === undefined ? "" : `; did you mean "${suggestion}"?`;
    cli.stderr.write(`warning: there is no server "${id}" here${hint}\n`);
  }
}
