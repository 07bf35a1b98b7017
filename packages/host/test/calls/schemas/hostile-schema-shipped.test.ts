/** What is shipped has the thread with it in which risky schemas are applied. */
import { createHost } from "@plugboard/host";
import { expect, it, onTestFinished } from "vitest";

it("the shipped package checks a risky schema in a thread", { meta: { covers: ["A9"] } }, async () => {
  const host = await createHost({ persist: false, env: {} });
  onTestFinished(() => host.close());
  // Not provably linear, so it is not applied in this thread; and right, so that it can be seen to have been.
  const text = { type: "string", pattern: "^(a+)+$" };
  const inputSchema = { type: "object", properties: { text } };
  host.tools.register({ name: "take", description: "", inputSchema, run: () => ({ content: [] }) });
  await expect(host.tools.call("take", { text: "b" })).rejects.toMatchObject({ code: "INVALID_ARGUMENTS" });
  expect(await host.tools.call("take", { text: "aaa" })).toEqual({ content: [] });
});
