/** Tests that the shipped package contains the worker thread for risky schemas. */
import { createHost } from "@plugboard/host";
import { expect, it, onTestFinished } from "vitest";

it("the shipped package checks a risky schema in a thread", { meta: { covers: ["A9"] } }, async () => {
  const host = await createHost({ persist: false, env: {} });
  onTestFinished(() => host.close());
  // The pattern is not provably linear, so it is checked in the thread. The reported problem shows that it was.
  const text = { type: "string", pattern: "^(a+)+$" };
  const inputSchema = { type: "object", properties: { text } };
  host.tools.register({ name: "take", description: "", inputSchema, run: () => ({ content: [] }) });
  await expect(host.tools.call("take", { text: "b" })).rejects.toMatchObject({ code: "INVALID_ARGUMENTS" });
  expect(await host.tools.call("take", { text: "aaa" })).toEqual({ content: [] });
});
