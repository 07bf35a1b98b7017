/** Recognises an entry that runs Plugboard's own gateway. Importing it would make the host a server of itself. */
import type { ServerDefinition } from "../../config/definition/definition.ts";

const PROGRAM = /(?:^|[\\/])plugboard(?:\.(?:cmd|exe|ps1|[cm]?js))?$/i;
const PACKAGE = /^(?:plugboard|@plugboard\/cli)(?:@[^/]*)?$/;

export function isPlugboardItself(definition: ServerDefinition): boolean {
  if (definition.transport !== "stdio") return false;
  const words = [definition.command, ...definition.args].filter((word) => typeof word === "string");
  const program = words.findIndex((word) => PROGRAM.test(word) || PACKAGE.test(word));
  return program >= 0 && words.slice(program + 1).includes("stdio");
}
