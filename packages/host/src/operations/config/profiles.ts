/** Lists the profiles of all files, and changes the profiles of the user's file. A project may not define profiles. */
import { HostError } from "@plugboard/contracts";
import type { Profile, ProfileInfo, RemovedProfile, SavedProfile } from "@plugboard/contracts";
import { requireScopeFiles } from "@plugboard/config";
import { editConfig, inspectConfig } from "@plugboard/config/edit";
import type { OperationsPlace } from "../operations-context.ts";
import { throwIfInvalid } from "../servers/find-entries.ts";

export async function listProfiles(place: OperationsPlace): Promise<ProfileInfo[]> {
  const files = await inspectConfig(place);
  throwIfInvalid(files.filter(({ source }) => source === "user" || source === "managed"));
  return files.flatMap(({ source, file, layer }) =>
    [...(layer?.profiles ?? [])].map(([name, profile]) => ({ name, source, file, profile: profile ?? null })),
  );
}

export async function setProfile(name: string, profile: Profile, place: OperationsPlace): Promise<SavedProfile> {
  const edit = await editConfig(await userFile(place), { type: "set_profile", profile: name, view: profile });
  const action = !edit.changed ? "unchanged" : edit.before === undefined ? "added" : "replaced";
  return { file: edit.file, action };
}

export async function removeProfile(name: string, place: OperationsPlace): Promise<RemovedProfile> {
  const edit = await editConfig(await userFile(place), { type: "remove_profile", profile: name });
  if (!edit.changed) throw new HostError("NOT_FOUND", { subject: `profile "${name}" in ${edit.file}` });
  return { file: edit.file };
}

async function userFile({ cwd, env }: OperationsPlace): Promise<string> {
  return (await requireScopeFiles("user", cwd, env)).files[0];
}
