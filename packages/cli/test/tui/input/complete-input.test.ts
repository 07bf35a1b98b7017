import { describe, expect, it } from "vitest";
import { applySuggestion, completeInput } from "#tui/input/complete-input.js";
import type { CompletionSources } from "#tui/input/complete-input.js";
import { EMPTY_EDITOR } from "#tui/input/editor.js";

const sources: CompletionSources = {
  commands: [
    { name: "mcp", about: "servers", choices: ["enable", "login"] },
    { name: "model", about: "model" },
    { name: "tools", about: "tools" },
    { name: "resources", about: "resources" },
  ],
  servers: ["docs", "git"],
  models: ["ollama/llama3", "lmstudio/qwen"],
  prompts: [{ server: "git", name: "review", arguments: ["repo", "branch"] }],
  resources: [{ server: "docs", uri: "file:///guide.md" }],
};

const suggest = (text: string) => completeInput(text, text.length, sources);
const values = (text: string) => suggest(text)?.suggestions.map(({ value }) => value);

describe("completeInput", () => {
  it("suggests commands and prompts of servers", () => {
    expect(values("/m")).toEqual(["/mcp", "/model"]);
    expect(values("/git")).toEqual(["/git:review"]);
  });

  it("suggests servers and actions for /mcp", () => {
    expect(values("/mcp ")).toEqual(["docs", "git", "enable", "login"]);
    expect(values("/mcp login g")).toEqual(["git"]);
  });

  it.each(["/tools", "/resources"])("suggests one server for %s", (command) => {
    expect(values(`${command} `)).toEqual(["docs", "git"]);
    expect(values(`${command} g`)).toEqual(["git"]);
    expect(values(`${command} git `)).toBeUndefined();
  });

  it("suggests models that were found for /model", () => {
    expect(values("/model o")).toEqual(["ollama/llama3"]);
    expect(values("/model ollama/llama3 ")).toBeUndefined();
  });

  it("suggests arguments of a prompt that are not given yet", () => {
    expect(values("/git:review repo=x b")).toEqual(["branch"]);
    expect(values("/git:review repo=x r")).toBeUndefined();
  });

  it("names the argument whose values the server can suggest", () => {
    expect(suggest("/git:review repo=x branch=ma")).toMatchObject({
      start: 26,
      promptArgument: { server: "git", prompt: "review", argument: "branch", value: "ma", others: { repo: "x" } },
    });
  });

  it("suggests servers, then resources, after @", () => {
    expect(values("look at @d")).toEqual(["docs"]);
    expect(values("look at @docs:f")).toEqual(["docs:file:///guide.md"]);
    expect(values("mail@d")).toBeUndefined();
  });

  it("replaces the typed part by the chosen suggestion", () => {
    const text = "look at @do";
    const completions = suggest(text)!;
    const editor = { ...EMPTY_EDITOR, text, cursor: text.length };
    expect(applySuggestion(editor, completions, completions.suggestions[0]!)).toMatchObject({ text: "look at @docs:" });
  });
});
