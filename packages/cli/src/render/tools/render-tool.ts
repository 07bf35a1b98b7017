/** Renders the details of one tool. Starts each row of the server's text with a bar (`│ `). */
import { sanitizeLine, quoteName, renderType, toolParameters } from "@plugboard/contracts";
import type { OfferedTool, ToolAnnotations } from "@plugboard/contracts";
import { modelVisibleText } from "@plugboard/host/model-tools";
import { exampleCall } from "../../signatures/example-call.ts";
import { renderSignature } from "../../signatures/render-signature.ts";
import { styled } from "../../terminal/text.ts";
import type { Text } from "../../terminal/text.ts";
import { makeQuoter } from "../quote-untrusted.ts";
import type { Quoter } from "../quote-untrusted.ts";
import { renderParameters } from "./render-parameters.ts";
import { displayName } from "./render-tool-list.ts";

export function renderTool(offered: OfferedTool, columns: number): Text {
  const { name, title, description, inputSchema, outputSchema, annotations } = offered;
  const quote = makeQuoter({ columns });
  const origin = modelVisibleText(offered).find(({ path }) => path === "origin")?.text;
  const parameters = toolParameters(inputSchema);
  const example = exampleCall(offered);
  return [
    styled("bold", sanitizeLine(displayName(offered))),
    "\n",
    title === undefined ? "" : `title: ${sanitizeLine(title)}\n`,
    `name for models: ${name}\n`,
    `\n${sanitizeLine(renderSignature(quoteName(offered.tool), inputSchema))}\n`,
    description.trim() === "" ? "" : ["\n", quote(description)],
    origin === undefined ? "" : `Note added for models: ${origin}\n`,
    parameters.length === 0
      ? "\nIt has no arguments.\n"
      : ["\nArguments:\n", renderParameters(parameters, inputSchema, columns)],
    outputSchema === undefined ? "" : `\nResult: ${sanitizeLine(renderType(outputSchema, outputSchema))}\n`,
    annotations === undefined ? "" : renderAnnotations(annotations, quote),
    example === undefined ? "" : `\nExample:\n  ${example}\n`,
    styled("dim", `\nAdd --schema to see the JSON Schemas as models see them.\n`),
  ];
}

/** Marks the annotations as claims, because nobody has verified them. */
function renderAnnotations(annotations: ToolAnnotations, quote: Quoter): string {
  const { title, ...hints } = annotations;
  const claims = Object.entries(hints).flatMap(([hint, value]) => CLAIMS.get(`${hint} ${String(value)}`) ?? []);
  const titles = title === undefined ? [] : [`its title is ${title}`];
  const all = [...claims, ...titles];
  return all.length === 0 ? "" : `\nThe server claims, unverified:\n${quote(all.join("\n"))}`;
}

const CLAIMS: ReadonlyMap<string, string> = new Map([
  ["readOnlyHint true", "it changes nothing"],
  ["readOnlyHint false", "it may change things"],
  ["destructiveHint true", "it may delete or overwrite things"],
  ["destructiveHint false", "it only adds things"],
  ["idempotentHint true", "calling it again with the same arguments changes nothing more"],
  ["idempotentHint false", "calling it again with the same arguments may change more"],
  ["openWorldHint true", "it reaches beyond this machine, for example the web"],
  ["openWorldHint false", "it stays within its own data"],
]);
