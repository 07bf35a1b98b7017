/** Tests `plugboard chat` without a model. */
import { join } from "node:path";
import { ModelOffer } from "#tui/model-offer.js";
import { describe, expect, it } from "vitest";
import { plainText } from "#terminal/text.js";
import type { ChatSession } from "#tui/session/chat-session.js";
import { KEYS, openChat } from "../../helpers/chat-in-terminal.ts";

const { enter } = KEYS;

describe("a chat without a model", () => {
  it("says how to set a model, and all its commands work", async () => {
    const { terminal, model, setup, serverIs } = await openChat({ env: { PLUGBOARD_MODEL: "" } });
    await serverIs("files", "ready");
    const shown = await terminal.waitForView("No model is set.");
    for (const text of ["/model provider/model", "PLUGBOARD_MODEL", "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "ollama/"])
      expect(shown.replaceAll(/\s+/g, " ")).toContain(text);
    expect(shown.replaceAll(/\s+/g, "")).toContain(`mcp.model\`in${join(setup.cwd, "config.json")}`);
    terminal.type(`/mcp${enter}`);
    await terminal.waitForView(/^files +stdio/m);
    terminal.type(`/tools${enter}`);
    await terminal.waitForView("files:write");
    terminal.type(`hello${enter}`);
    await terminal.waitForView("No model is set. Use /model provider/model, then ↑ shows your message again.");
    terminal.type(`/model compatible/scripted${enter}`);
    await terminal.waitForView("The next messages go to compatible/scripted.");
    const rows = (await terminal.view.allRows()).join(" ");
    expect(rows.split("ANTHROPIC_API_KEY")).toHaveLength(2);
    terminal.type(`${KEYS.up}${KEYS.up}`);
    await terminal.waitForView("› hello");
    expect(model.requests).toEqual([]);
  });

  it("says which key is missing", async () => {
    const { terminal } = await openChat({ env: { PLUGBOARD_MODEL: "" } });
    await terminal.waitForView("No model is set.");
    terminal.type(`/model anthropic/claude${enter}`);
    await terminal.waitForView(/needs an API key\. Set `ANTHROPIC_API_KEY`/);
  });

  it("offers a model that was found on this machine", async () => {
    const session = {
      api: { chats: { models: async () => ({ found: ["ollama/llama3", "ollama/other"] }) } },
      spec: { cwd: "/" },
      current: { transcript: { chat: {} } },
    };
    const printed: string[] = [];
    const offer = new ModelOffer(session as unknown as ChatSession, { cwd: "/", env: {} }, (text) =>
      printed.push(plainText(text)),
    );
    expect([offer.command, offer.placeholder]).toEqual(["", undefined]);
    await offer.load();
    expect(printed.join("")).toContain("Models on this machine: ollama/llama3, ollama/other.");
    expect(offer.command).toBe("/model ollama/llama3");
    expect(offer.placeholder).toContain("Tab and Enter use ollama/llama3");
    session.current.transcript.chat = { model: "ollama/llama3" };
    expect(offer.command).toBe("");
  });
});
