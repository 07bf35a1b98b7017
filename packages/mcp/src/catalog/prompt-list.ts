/** The list of the conversations that a server has prepared. */
import { isJsonObject } from "@plugboard/contracts";
import type { Json, Prompt, PromptArgument } from "@plugboard/contracts";
import type { ListKind } from "./list-pages.ts";
import { parseListPage, pickStrings } from "./parse-list-page.ts";

export const PROMPT_LIST: ListKind<Prompt> = {
  method: "prompts/list",
  key: "prompts",
  idOf: ({ name }) => name,
  parsePage: (result) =>
    parseListPage(result, "prompts", "name", (name, value) => {
      const { arguments: args } = value;
      return {
        name,
        ...pickStrings(value, ["title", "description"]),
        ...(Array.isArray(args) && { arguments: args.flatMap(parseArgument) }),
      };
    }),
};

/** One without a name can't be given. */
function parseArgument(value: Json): PromptArgument[] {
  if (!isJsonObject(value)) return [];
  const { name, required } = value;
  if (typeof name !== "string" || name === "") return [];
  return [
    { name, ...pickStrings(value, ["title", "description"]), ...(typeof required === "boolean" && { required }) },
  ];
}
