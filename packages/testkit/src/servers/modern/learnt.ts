/**
 * What the modern fixture learns while it runs, and the tools that teach it. Kept for the whole process, because over
 * HTTP every request is served by an instance of its own.
 */
import type { ServerNotifier } from "@modelcontextprotocol/server";
import { z } from "zod";
import { text, tool } from "./tool.ts";

export const learnt = {
  tools: new Set<string>(),
  prompts: new Set<string>(),
  notes: new Map([["welcome", "Welcome to the modern fixture"]]),
};

export const noteUri = (name: string): string => `note://${name}`;

export function teachingTools(notify: ServerNotifier) {
  return {
    learn_tool: tool("Offers one more tool from now on", { name: z.string() }, ({ name }) => {
      learnt.tools.add(name);
      notify.toolsChanged();
      return text(`learnt ${name}`);
    }),
    learn_prompt: tool("Offers one more prompt from now on", { name: z.string() }, ({ name }) => {
      learnt.prompts.add(name);
      notify.promptsChanged();
      return text(`learnt ${name}`);
    }),
    write_note: tool(
      "Writes a note, which is a resource",
      { name: z.string(), text: z.string() },
      ({ name, text: note }) => {
        const known = learnt.notes.has(name);
        learnt.notes.set(name, note);
        if (known) notify.resourceUpdated(noteUri(name));
        else notify.resourcesChanged();
        return text(noteUri(name));
      },
    ),
  };
}

export function learntTools() {
  return Object.fromEntries(
    [...learnt.tools].map((name) => [name, tool("Was learnt", {}, () => text(`I am ${name}`))]),
  );
}
