/** Compares a file of a skill with the server's list of the skill's files. */
import { createHash } from "node:crypto";
import { canonicalJson } from "@plugboard/contracts";
import type { ResourceContents, Skill, SkillFileState } from "@plugboard/contracts";
import { MAX_YAML_CHARS, parseYaml } from "@plugboard/config";

const FRONTMATTER = /^\ufeff?---[ \t]*\r?\n(.*?)\r?\n---[ \t]*(?:\r?\n|$)/s;

export async function compareSkillFile(
  skill: Pick<Skill, "uri" | "frontmatter" | "files">,
  file: string,
  contents: readonly ResourceContents[],
): Promise<SkillFileState> {
  const bytes = contentBytes(contents);
  const listed = skill.files === "dynamic" ? { uri: file } : skill.files.find(({ uri }) => uri === file);
  if (!listed) return "unlisted";
  const { digest, size } = listed;
  if (size !== undefined && bytes?.length !== size) return "digest_mismatch";
  if (digest !== undefined && (!bytes || digest !== sha256(bytes))) return "digest_mismatch";
  if (file === skill.uri && !(await hasFrontmatter(bytes, skill.frontmatter))) return "frontmatter_mismatch";
  return digest === undefined ? "no_digest" : "verified";
}

/** Returns undefined if the resource is not exactly one file. */
function contentBytes(contents: readonly ResourceContents[]): Buffer | undefined {
  const [only, ...others] = contents;
  if (!only || others.length > 0) return undefined;
  const { text, blob } = only;
  if (typeof text === "string") return Buffer.from(text);
  return typeof blob === "string" ? Buffer.from(blob, "base64") : undefined;
}

function sha256(bytes: Buffer): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}

/** Returns whether the file begins with this frontmatter. The order of its fields does not matter. */
async function hasFrontmatter(bytes: Buffer | undefined, expected: Skill["frontmatter"]): Promise<boolean> {
  const [, yaml = ""] = FRONTMATTER.exec(bytes?.toString("utf8") ?? "") ?? [];
  if (yaml === "" || yaml.length > MAX_YAML_CHARS) return false;
  try {
    return canonicalJson(await parseYaml(yaml)) === canonicalJson(expected);
  } catch {
    // It is not YAML, so it is not what the server lists.
    return false;
  }
}
