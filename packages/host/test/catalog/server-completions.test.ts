/** Tests completions for prompts and resource templates. */
import { describe, expect, it } from "vitest";
import { ann, resourcePromptTestServer, connectServers, sharedModernServer } from "../helpers/connect-servers.ts";

const modern = sharedModernServer();

const review = { type: "ref/prompt", name: "review" } as const;

describe("ServerCompletions.complete", () => {
  it("returns the values of the server for prompts and for resource templates", async () => {
    const { completions } = connectServers({ a: modern() });
    const context = { caller: ann };
    expect(await completions.complete("a", review, { name: "language", value: "T" }, {}, context)).toEqual({
      values: ["TypeScript", "Tcl"],
    });
    const notes = { type: "ref/resource", uri: "note://{name}" } as const;
    expect(await completions.complete("a", notes, { name: "name", value: "wel" }, {}, context)).toEqual({
      values: ["welcome"],
    });
  });

  it("sends the values of the arguments that are already filled in", async () => {
    const { completions } = connectServers({ a: modern() });
    const completed = completions.complete(
      "a",
      review,
      { name: "tone", value: "" },
      { language: "Rust" },
      { caller: ann },
    );
    expect(await completed).toEqual({ values: ["strict", "safe"] });
  });

  it("sends no request to a server that does not offer completions", async () => {
    const { completions } = connectServers({ a: resourcePromptTestServer({}) });
    const completed = completions.complete("a", review, { name: "tone", value: "" }, {}, { caller: ann });
    await expect(completed).rejects.toMatchObject({ code: "NOT_OFFERED", details: { server: "a" } });
  });

  it("returns at most 100 values, and only strings", async () => {
    const values = Array.from({ length: 150 }, (_, index) => `v${index}`);
    const { completions } = connectServers({
      a: resourcePromptTestServer({ completion: { values: [7, ...values], total: 150 } }),
    });
    const completed = await completions.complete("a", review, { name: "tone", value: "" }, {}, { caller: ann });
    expect(completed).toEqual({ values: values.slice(0, 100), total: 150, hasMore: true });
  });

  it("rejects a completion result without values", async () => {
    const { completions } = connectServers({ a: resourcePromptTestServer({ completion: { total: 1 } }) });
    const completed = completions.complete("a", review, { name: "tone", value: "" }, {}, { caller: ann });
    await expect(completed).rejects.toMatchObject({ code: "UNEXPECTED_RESPONSE", details: { server: "a" } });
  });
});
