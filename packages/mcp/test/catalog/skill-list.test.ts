/** Tests how the skills of a server are parsed. */
import { SKILL_LIST, unusableSkillReason } from "#catalog/skill-list.js";
import { parseSkill } from "@plugboard/mcp";
import type { JsonObject } from "@plugboard/contracts";
import { describe, expect, it } from "vitest";

const URI = "skill://acme/refunds/SKILL.md";
const HEX = "0123456789abcdef".repeat(4);

describe("parseSkill", () => {
  it("keeps the frontmatter, and takes name and description from it", () => {
    const frontmatter = { name: "refunds", description: "Refunds", license: "MIT", metadata: { version: 1 } };
    const resources = [{ uri: URI, digest: `sha256:${HEX.toUpperCase()}`, size: 7, unknown: true }];
    expect(parseSkill(URI, { frontmatter, resources })).toEqual({
      uri: URI,
      name: "refunds",
      description: "Refunds",
      frontmatter,
      files: [{ uri: URI, digest: `sha256:${HEX}`, size: 7 }],
    });
  });

  it.each<[JsonObject, object]>([
    [{}, { name: "refunds", frontmatter: {}, files: undefined }],
    [
      { frontmatter: "x", resources: "dynamic" },
      { name: "refunds", frontmatter: {}, files: "dynamic" },
    ],
    [
      { frontmatter: { name: 7, description: [] }, resources: [] },
      { name: "refunds", files: [] },
    ],
    [{ resources: [{ uri: "a:b", digest: "md5:1", size: "2" }, { uri: "" }, 5] }, { files: [{ uri: "a:b" }] }],
  ])("returns a skill without the invalid fields of %j", (value, parsed) => {
    expect(parseSkill(URI, value)).toMatchObject(parsed);
  });
});

describe("unusableSkillReason", () => {
  it.each([
    [undefined, /neither a list nor "dynamic"/],
    ["all", /neither a list nor "dynamic"/],
    [Array.from({ length: 513 }, (_, index) => ({ uri: `a:${index}` })), /513 files, more than 512/],
  ])("rejects resources that are neither dynamic nor a list of at most 512 files", (resources, reason) => {
    expect(unusableSkillReason(parseSkill(URI, { ...(resources !== undefined && { resources }) }))).toMatch(reason);
  });

  it("accepts a list and dynamic files", () => {
    for (const resources of [[], "dynamic"])
      expect(unusableSkillReason(parseSkill(URI, { resources }))).toBeUndefined();
  });
});

describe("SKILL_LIST", () => {
  it("drops entries without a URI, and rejects a page without a list", () => {
    expect(SKILL_LIST.parsePage({ skills: [{ uri: URI, resources: [] }, {}, null] })).toMatchObject({
      items: [{ uri: URI }],
      dropped: [
        { name: "#2", reason: "it has no uri" },
        { name: "#3", reason: "it is not an object" },
      ],
    });
    expect(SKILL_LIST.parsePage({})).toBeUndefined();
  });
});
