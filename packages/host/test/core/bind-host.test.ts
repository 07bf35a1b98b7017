import { Host } from "#core/host.js";
import { grantOf, holderOf } from "@plugboard/contracts";
import type { Caller, HostEvent } from "@plugboard/contracts";
import { describe, expect, it, onTestFinished } from "vitest";
import { makeTestProject } from "../helpers/test-project.ts";

describe("the host of a caller", () => {
  it("emits no event about a question to another caller", async () => {
    const { host } = await makeHost();
    const ann = host.as("cli");
    const bob = host.as("cli");
    void host.inbox.ask(elicitation(bob.caller, "bob's"));
    void host.inbox.ask(elicitation(ann.caller, "ann's"));
    const { value } = await ann.events(0)[Symbol.asyncIterator]().next();
    expect(value as HostEvent).toMatchObject({ type: "question.asked", question: { server: "ann's" } });
  });

  it.each(["program", "cli", "chat", "page", "api", "front"] as const)(
    "emits dropped and lapsed decisions to a caller of kind %s only if it may see the calls of others",
    { meta: { covers: ["S27"] } },
    async (kind) => {
      const { host } = await makeHost();
      const { caller, events } = host.as(kind);
      const about = { server: "s", tool: "t" };
      const types = ["decision.dropped", "decision.lapsed"] as const;
      for (const type of types) host.events.emit({ type, ...about });
      host.events.emit({ type: "clients.changed" });
      const seen: string[] = [];
      for await (const { type } of events(0)) {
        seen.push(type);
        if (type === "clients.changed") break;
      }
      const seesAll = grantOf(holderOf(caller), "see_calls") === "all";
      expect(seen).toEqual([...(seesAll ? types : []), "clients.changed"]);
      expect(seesAll).toBe(kind !== "chat" && kind !== "front");
    },
  );

  it("stops watching the inbox when the caller closes it", async () => {
    const { host } = await makeHost();
    const page = host.as("page", { watchesInbox: true });
    expect(host.inbox.watchers.present).toBe(true);
    await page.close();
    expect(host.inbox.watchers.present).toBe(false);
  });

  it("opens no workspace after the host has closed", async () => {
    const { host, project } = await makeHost();
    const api = host.as("program");
    await host.close();
    await expect(api.workspace({ cwd: project })).rejects.toMatchObject({ code: "HOST_CLOSED" });
  });
});

async function makeHost() {
  const { env, project } = await makeTestProject();
  const host = new Host({ env, config: [] });
  onTestFinished(() => host.close());
  return { host, project };
}

function elicitation(owner: Caller, server: string) {
  const form = { mode: "form", message: "Which name?", fields: [] } as const;
  return { type: "elicitation", owner, server, elicitation: form } as const;
}
