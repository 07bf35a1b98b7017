/** Recognises servers that lead to Plugboard's own gateway, which would make the host a server of itself. Pure. */
import type { ServerDefinition } from "./definition.ts";
import { DEFAULT_PORT, parseGatewayCommand, parseGatewayUrl } from "./gateway-link.ts";

interface Command {
  readonly command: string;
  /** Arguments other than texts, such as references to secrets, are skipped. */
  readonly args: readonly unknown[];
}

/** Recognises `plugboard stdio`, also through Node or a program that runs packages, such as npx. */
export function isPlugboardItself({ command, args }: Command): boolean {
  return parseGatewayCommand([command, ...args].filter((word) => typeof word === "string")) !== undefined;
}

/** Also recognises the URL of `plugboard serve` with its default port. */
export function isPlugboardDefinition(definition: ServerDefinition): boolean {
  if (definition.transport === "http") return parseGatewayUrl(definition.url)?.port === DEFAULT_PORT;
  return definition.transport === "stdio" && isPlugboardItself(definition);
}
