/** Implements `plugboard profile list`, `set` and `remove`. */
import { HostError } from "@plugboard/contracts";
import { editConfig, inspectConfig, requireScopeFiles } from "@plugboard/host/config-commands";
import type { Profile } from "@plugboard/host/config-commands";
import { usageError } from "../../command-line/usage-error.ts";
import { renderTable } from "../../render/render-table.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { throwIfInvalid } from "./scope.ts";
import { warnUnknownServers } from "./warn-unknown-servers.ts";

interface JsonInput {
  readonly json: boolean;
}

interface SetProfileInput extends JsonInput {
  readonly name: string;
  readonly server: readonly string[];
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  readonly mode: Profile["mode"];
}

/** Shows the profiles of all layers that may define some. */
export async function listProfiles({ json }: JsonInput, { cwd, env, stdout }: CliContext): Promise<number> {
  const files = await inspectConfig({ cwd, env });
  throwIfInvalid(files.filter(({ source }) => source === "user" || source === "managed"));
  const profiles = files.flatMap(({ source, file, layer }) =>
    [...(layer?.profiles ?? [])].map(([name, profile]) => ({ name, source, file, profile: profile ?? null })),
  );
  if (json) stdout.json(profiles);
  else if (profiles.length === 0) stdout.write("No profiles. `plugboard profile set <name>` adds one.\n");
  else {
    const rows = profiles.map(({ name, source, profile }) => [name, source, ...describeProfile(profile)]);
    stdout.write(renderTable(["PROFILE", "SOURCE", "SERVERS", "TOOLS", "MODE"], rows));
  }
  return 0;
}

function describeProfile(profile: Profile | null): string[] {
  if (!profile) return ["invalid", "–", "–"];
  const { servers, tools = {}, mode = "all" } = profile;
  const excluded = (tools.exclude ?? []).map((pattern) => `not ${pattern}`);
  return [servers?.join(", ") ?? "all", [...(tools.include ?? []), ...excluded].join(", ") || "all", mode];
}

/** Replaces the whole profile in the user's file, because a project may not define profiles. */
export async function setProfile(input: SetProfileInput, cli: CliContext): Promise<number> {
  const { name, server, include, exclude, mode, json } = input;
  const { cwd, env, stdout } = cli;
  const tools = { ...(include.length > 0 && { include }), ...(exclude.length > 0 && { exclude }) };
  const view: Profile = {
    ...(server.length > 0 && { servers: server }),
    ...(Object.keys(tools).length > 0 && { tools }),
    ...(mode !== undefined && { mode }),
  };
  if (Object.keys(view).length === 0)
    throw usageError("a profile needs --server, --include, --exclude or --mode", { command: "profile set" });
  const [file] = (await requireScopeFiles("user", cwd, env)).files;
  const edit = await editConfig(file, { type: "set_profile", profile: name, view });
  await warnUnknownServers(server, cli);
  const action = !edit.changed ? "unchanged" : edit.before === undefined ? "added" : "replaced";
  if (json) stdout.json({ name, file: edit.file, action, profile: view });
  else stdout.write(`The profile ${name} is ${action} in ${edit.file}\n`);
  return 0;
}

/** Throws NOT_FOUND if the user's file has no such profile. */
export async function removeProfile(
  { name, json }: JsonInput & { readonly name: string },
  cli: CliContext,
): Promise<number> {
  const { cwd, env, stdout } = cli;
  const [file] = (await requireScopeFiles("user", cwd, env)).files;
  const edit = await editConfig(file, { type: "remove_profile", profile: name });
  if (!edit.changed) throw new HostError("NOT_FOUND", { subject: `profile "${name}" in ${edit.file}` });
  if (json) stdout.json({ name, file: edit.file, action: "removed" });
  else stdout.write(`Removed the profile ${name} from ${edit.file}\n`);
  return 0;
}
