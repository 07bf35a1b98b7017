import { renderPermission } from "#render/questions/render-question.js";
import { describe, expect, it } from "vitest";

describe("renderPermission", () => {
  it("shows, below the arguments, what the call would do", () => {
    const question = {
      type: "permission",
      id: "q",
      call: "c1",
      owner: { kind: "chat", id: "c" },
      server: "native",
      tool: "edit_file",
      arguments: { path: "a.txt" },
      preview: "a.txt:\n@@ -1,1 +1,1 @@\n-one\n+two",
      askedAt: 0,
      deadline: 1,
    } as const;
    const quoted: [string, number | undefined][] = [];
    const text = renderPermission(question, (part, rows) => {
      quoted.push([part, rows]);
      return `<${quoted.length}>\n`;
    });
    expect(text).toMatch(/native:edit_file needs your permission\.\nArguments:\n<1>\nWhat it would do:\n<2>\n$/);
    expect(quoted[1]).toEqual([question.preview, 40]);
  });
});
