/** The lists of what a server can be asked to read out: single resources, and families of them. */
import { isJsonObject } from "@plugboard/contracts";
import type { JsonObject, Resource, ResourceTemplate } from "@plugboard/contracts";
import type { ListKind } from "./list-pages.ts";
import { readPage, texts } from "./read-page.ts";

export const RESOURCES: ListKind<Resource> = {
  method: "resources/list",
  key: "resources",
  idOf: ({ uri }) => uri,
  readPage: (result) =>
    readPage(result, "resources", "uri", (uri, value) => ({
      uri,
      ...described(uri, value),
      ...(typeof value["size"] === "number" && { size: value["size"] }),
    })),
};

export const TEMPLATES: ListKind<ResourceTemplate> = {
  method: "resources/templates/list",
  key: "resourceTemplates",
  idOf: ({ uriTemplate }) => uriTemplate,
  readPage: (result) =>
    readPage(result, "resourceTemplates", "uriTemplate", (uriTemplate, value) => ({
      uriTemplate,
      ...described(uriTemplate, value),
    })),
};

/** One without a name is called by its address. */
function described(address: string, value: JsonObject) {
  const { name = address, ...told } = texts(value, ["name", "title", "description", "mimeType"]);
  const { annotations } = value;
  return { name, ...told, ...(isJsonObject(annotations) && { annotations }) };
}
