/** The list of skills: its method, and how a skill is parsed, in a list or alone. */
import { isJsonObject } from "@plugboard/contracts";
import type { Json, JsonObject, Skill, SkillFile } from "@plugboard/contracts";
import { parseListPage } from "./list-kinds.ts";
import type { ListKind } from "./list-pages.ts";

/** A skill whose list of files may be missing. Such a skill must not be used. */
export interface ParsedSkill extends Omit<Skill, "files"> {
  readonly files: Skill["files"] | undefined;
}

/** The most files of a skill that every host must support. */
const MAX_FILES = 512;
const DIGEST = /^sha256:[0-9a-f]{64}$/i;

export const SKILL_LIST: ListKind<ParsedSkill> = {
  method: "skills/list",
  key: "skills",
  idOf: ({ uri }) => uri,
  parsePage: (result) => parseListPage(result, "skills", "uri", parseSkill),
};

export function parseSkill(uri: string, value: JsonObject): ParsedSkill {
  const frontmatter = isJsonObject(value["frontmatter"]) ? value["frontmatter"] : {};
  const { name, description } = frontmatter;
  return {
    uri,
    name: typeof name === "string" && name !== "" ? name : folderName(uri),
    ...(typeof description === "string" && { description }),
    frontmatter,
    files: parseFiles(value["resources"]),
  };
}

/** Returns why a skill can't be used, or undefined if it can. */
export function unusableSkillReason({ files }: ParsedSkill): string | undefined {
  if (files === undefined) return 'its "resources" are neither a list nor "dynamic"';
  if (files === "dynamic" || files.length <= MAX_FILES) return undefined;
  return `it has ${files.length} files, more than ${MAX_FILES}`;
}

function parseFiles(value: Json | undefined): Skill["files"] | undefined {
  if (value === "dynamic") return value;
  return Array.isArray(value) ? value.flatMap(parseFile) : undefined;
}

/** Returns an empty list for a file without a URI. */
function parseFile(value: Json): SkillFile[] {
  if (!isJsonObject(value)) return [];
  const { uri, digest, size } = value;
  if (typeof uri !== "string" || uri === "") return [];
  return [
    {
      uri,
      ...(typeof digest === "string" && DIGEST.test(digest) && { digest: digest.toLowerCase() }),
      ...(typeof size === "number" && { size }),
    },
  ];
}

/** Returns `refunds` for `skill://acme/refunds/SKILL.md`. */
function folderName(uri: string): string {
  return (
    uri
      .replace(/\/SKILL\.md$/i, "")
      .split("/")
      .at(-1) || uri
  );
}
