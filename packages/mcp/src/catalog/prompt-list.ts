/** The list of the conversations that a server has prepared. */
import { isJsonObject } from "@plugboard/contracts";
import type { Json, Prompt, PromptArgument } from "@plugboard/contracts";
import type { ListKind } from "./list-pages.ts";
import { readPage, texts } from "./read-page.ts";

export const PROMPTS: ListKind<Prompt> = {
  method: "prompts/list",
  key: "prompts",
  idOf: ({ name }) => name,
  readPage: (result) =>
    readPage(result, "prompts", "name", (name, value) => {
      const { arguments: args } = value;
      return {
        name,
        ...texts(value, ["title", "description"]),
        ...(Array.isArray(args) && { arguments: args.flatMap(readArgument) }),
      };
    }),
};

/** One without a name can't be given. */
function readArgument(value: Json): PromptArgument[] {
  if (!isJsonObject(value)) return [];
  const { name, required } = value;
  if (typeof name !== "string" || name === "") return [];
  return [{ name, ...texts(value, ["title", "description"]), ...(typeof required === "boolean" && { required }) }];
}
