/** The lists of what a server can be asked to read out: single resources, and families of them. */
import { isJsonObject } from "@plugboard/contracts";
import type { JsonObject, Resource, ResourceTemplate } from "@plugboard/contracts";
import type { ListKind } from "./list-pages.ts";
import { parseListPage, pickStrings } from "./parse-list-page.ts";

export const RESOURCE_LIST: ListKind<Resource> = {
  method: "resources/list",
  key: "resources",
  idOf: ({ uri }) => uri,
  parsePage: (result) =>
    parseListPage(result, "resources", "uri", (uri, value) => ({
      uri,
      ...parseDescription(uri, value),
      ...(typeof value["size"] === "number" && { size: value["size"] }),
    })),
};

export const TEMPLATE_LIST: ListKind<ResourceTemplate> = {
  method: "resources/templates/list",
  key: "resourceTemplates",
  idOf: ({ uriTemplate }) => uriTemplate,
  parsePage: (result) =>
    parseListPage(result, "resourceTemplates", "uriTemplate", (uriTemplate, value) => ({
      uriTemplate,
      ...parseDescription(uriTemplate, value),
    })),
};

/** One without a name is called by its address. */
function parseDescription(uri: string, value: JsonObject) {
  const { name = uri, ...told } = pickStrings(value, ["name", "title", "description", "mimeType"]);
  const { annotations } = value;
  return { name, ...told, ...(isJsonObject(annotations) && { annotations }) };
}
