/**
 * The tools, prompts and notes that the modern fixture gets while it runs, and the tools that add them. Stored for the
 * whole process, because over HTTP each request has a server instance of its own.
 */
import type { ServerNotifier } from "@modelcontextprotocol/server";
import { z } from "zod";
import { textResult, fixtureTool } from "./fixture-tool.ts";

export const additions = {
  tools: new Set<string>(),
  prompts: new Set<string>(),
  notes: new Map([["welcome", "Welcome to the modern fixture"]]),
};

export const noteUri = (name: string): string => `note://${name}`;

export function additionTools(notify: ServerNotifier) {
  return {
    add_tool: fixtureTool("Offers one more tool from now on", { name: z.string() }, ({ name }) => {
      additions.tools.add(name);
      notify.toolsChanged();
      return textResult(`added ${name}`);
    }),
    add_prompt: fixtureTool("Offers one more prompt from now on", { name: z.string() }, ({ name }) => {
      additions.prompts.add(name);
      notify.promptsChanged();
      return textResult(`added ${name}`);
    }),
    write_note: fixtureTool(
      "Writes a note, which is a resource",
      { name: z.string(), text: z.string() },
      ({ name, text: note }) => {
        const existed = additions.notes.has(name);
        additions.notes.set(name, note);
        if (existed) notify.resourceUpdated(noteUri(name));
        else notify.resourcesChanged();
        return textResult(noteUri(name));
      },
    ),
  };
}

export function addedTools() {
  return Object.fromEntries(
    [...additions.tools].map((name) => [
      name,
      fixtureTool("Was added by add_tool", {}, () => textResult(`I am ${name}`)),
    ]),
  );
}
