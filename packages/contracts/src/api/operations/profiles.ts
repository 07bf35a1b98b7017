/** Shows and changes profiles, the named views of the catalog. */
import { object, text } from "../methods/argument-checks.ts";
import type { ArgumentCheck } from "../methods/argument-checks.ts";
import type { OperationTable } from "./operation-table.ts";
import type { ConfigSource } from "../workspace/server-entry.ts";
import type { RuleEffect } from "./rules.ts";

export interface ProfileOperations {
  /** Returns the profiles of all files. Throws CONFIG_INVALID for a file that can't be read. */
  profiles(): Promise<ProfileInfo[]>;
  /** Adds or replaces a whole profile in the user's file. Throws USAGE for an invalid profile. */
  setProfile(name: string, profile: Profile): Promise<SavedProfile>;
  /** Removes a profile from the user's file. Throws NOT_FOUND if the file has no such profile. */
  removeProfile(name: string): Promise<RemovedProfile>;
}

/** How the methods are called from another process. */
export const PROFILE_OPERATIONS: OperationTable<ProfileOperations> = {
  profiles: { right: "manage", params: [] },
  // The host checks the content of the profile.
  setProfile: { right: "manage", params: [text, object as ArgumentCheck<unknown> as ArgumentCheck<Profile>] },
  removeProfile: { right: "manage", params: [text] },
};

export interface Profile {
  /** Server ids. All servers if undefined. */
  readonly servers?: readonly string[];
  /** Patterns of `server:tool`. */
  readonly tools?: { readonly include?: readonly string[]; readonly exclude?: readonly string[] };
  /** Rules that apply together with those of the workspace. */
  readonly permissions?: { readonly [Effect in RuleEffect]?: readonly string[] };
  /** How tools and prompts are named. By default `{server}__{tool}`. */
  readonly naming?: "{server}__{tool}" | "{tool}";
  /** The folder whose workspace HTTP clients of the profile see: an absolute path, or one that begins with `~/`. */
  readonly cwd?: string;
  /** The most bytes of text in the result of a tool. */
  readonly max_result_bytes?: number;
}

export interface ProfileInfo {
  readonly name: string;
  readonly source: ConfigSource;
  readonly file: string;
  /** Null for an invalid profile. */
  readonly profile: Profile | null;
}

export interface SavedProfile {
  readonly file: string;
  readonly action: "added" | "replaced" | "unchanged";
}

export interface RemovedProfile {
  readonly file: string;
}
