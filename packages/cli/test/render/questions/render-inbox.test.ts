import { renderInbox } from "#render/questions/render-inbox.js";
import type { PermissionQuestion, TrustQuestion } from "@plugboard/contracts";
import { describe, expect, it } from "vitest";

const common = { owner: "workspace", server: "s", askedAt: 0, deadline: 60_000 } as const;
const permission = { ...common, type: "permission", id: "p", call: "c", tool: "echo", arguments: {} } as const;

describe("renderInbox", () => {
  it("lists the answers that the waiting permission questions offer", () => {
    expect(renderInbox([permission satisfies PermissionQuestion], 0)).toContain("\nA permission takes once or no. ");
    const pinned: PermissionQuestion = { ...permission, id: "q", pin: "1" };
    const text = renderInbox([permission, pinned], 0);
    expect(text).toContain("\nA permission takes once, session, always, server or no. ");
  });

  it("lists no answers to a permission if no permission question waits", () => {
    const trust = { ...common, type: "trust", id: "t" } as unknown as TrustQuestion;
    const text = renderInbox([trust], 0);
    expect(text).toContain("To answer, run");
    expect(text).not.toContain("A permission");
  });
});
