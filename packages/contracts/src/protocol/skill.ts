/**
 * Skills of servers, by the extension `io.modelcontextprotocol/skills`. A skill is a folder of files with instructions
 * for a model, and each file is a resource. Everything in a skill is untrusted text. Nothing in it runs.
 */
import { isUri } from "../lib/is-uri.ts";
import type { JsonObject } from "../lib/json.ts";
import type { MultiServerList, ResourceContents } from "./resource.ts";

export interface Skill {
  /** The URI of the skill's SKILL.md. It is unique only within its server. */
  readonly uri: string;
  /** The name in the frontmatter, or the name of the skill's folder. Several skills may have the same. */
  readonly name: string;
  readonly description?: string;
  /** The frontmatter of SKILL.md, as the server sends it. */
  readonly frontmatter: JsonObject;
  /** All files, including SKILL.md. `dynamic` if the server generates them and can't list them. */
  readonly files: readonly SkillFile[] | "dynamic";
}

export interface SkillFile {
  readonly uri: string;
  /** `sha256:` and 64 hexadecimal digits. Absent if the server sends no such digest. */
  readonly digest?: string;
  /** In bytes. */
  readonly size?: number;
}

export interface SkillList extends MultiServerList {
  readonly skills: readonly (Skill & { readonly server: string })[];
}

/**
 * How a file compares with the server's list of the skill's files. `unlisted`: SKILL.md is not in the list.
 * `no_digest`: the list has no digest for the file. A digest comes from the same server as the file, so `verified` does
 * not make it trusted.
 */
export type SkillFileState = "verified" | "digest_mismatch" | "frontmatter_mismatch" | "unlisted" | "no_digest";

/** The content of one file of a skill, compared with the server's list. */
export interface SkillFileContents {
  readonly server: string;
  readonly uri: string;
  readonly state: SkillFileState;
  readonly contents: readonly ResourceContents[];
}

/** Returns `examples/email.md` for `skill://refunds/examples/email.md` in `skill://refunds/SKILL.md`. */
export function skillFilePath(skill: string, file: string): string {
  const folder = folderOf(skill);
  return file.startsWith(folder) ? file.slice(folder.length) : file;
}

/** Returns the URI of a file by its path in the skill. The inverse of `skillFilePath`. */
export function resolveSkillFile(skill: string, path: string): string {
  return isUri(path) ? path : `${folderOf(skill)}${path.replace(/^\.\//, "")}`;
}

function folderOf(skill: string): string {
  return skill.replace(/[^/]*$/, "");
}

/** Returns what is wrong with a file of a skill, for a person. Undefined if it can be used. */
export function skillFileProblem(state: SkillFileState): string | undefined {
  return PROBLEMS[state];
}

const PROBLEMS: { readonly [state in SkillFileState]: string | undefined } = {
  verified: undefined,
  no_digest: undefined,
  digest_mismatch:
    "The content does not match the digest that the server lists for this file. Do not use it: it was changed or damaged.",
  frontmatter_mismatch:
    "The frontmatter of the file differs from the one that the server lists. Do not use it: the name and description may be those of another skill.",
  unlisted: "The server does not list this file among the files of the skill, so it can't be verified.",
};
