/** Recognises a command that runs Plugboard's own gateway. As a server, it would make the host a server of itself. */

const PROGRAM = /(?:^|[\\/])plugboard(?:\.(?:cmd|exe|ps1|[cm]?js))?$/i;
const PACKAGE = /^(?:plugboard|@plugboard\/cli)(?:@[^/]*)?$/;

export interface Command {
  readonly command: string;
  /** Arguments other than texts, such as references to secrets, are skipped. */
  readonly args: readonly unknown[];
}

/** Recognises `plugboard stdio`, also through Node or a program that runs packages, such as npx. */
export function isPlugboardItself({ command, args }: Command): boolean {
  const words = [command, ...args].filter((word) => typeof word === "string");
  const program = words.findIndex((word) => PROGRAM.test(word) || PACKAGE.test(word));
  return program >= 0 && words.slice(program + 1).includes("stdio");
}
