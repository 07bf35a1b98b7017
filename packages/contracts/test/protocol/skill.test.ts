import { resolveSkillFile, skillFilePath } from "@plugboard/contracts";
import { describe, expect, it } from "vitest";

const skill = "skill://refunds/SKILL.md";

describe("the path of a skill's file", () => {
  it.each([
    ["SKILL.md", skill],
    ["examples/email.md", "skill://refunds/examples/email.md"],
    ["skill://other/SKILL.md", "skill://other/SKILL.md"],
  ])("%s stands for %s, and the other way round", (path, uri) => {
    expect(skillFilePath(skill, uri)).toBe(path);
    expect(resolveSkillFile(skill, path)).toBe(uri);
  });

  it("may begin with ./", () => {
    expect(resolveSkillFile(skill, "./examples/email.md")).toBe("skill://refunds/examples/email.md");
  });
});
