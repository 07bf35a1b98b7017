// @ts-check
/** Turns the arguments after `npm test --` into vitest's arguments. */

/**
 * Expands the name of a package: `host` and `@plugboard/host` mean `packages/host/`.
 * @param {readonly string[]} args
 * @param {ReadonlySet<string>} packages
 * @returns {string[]}
 */
export function vitestArguments(args, packages) {
  return args.map((arg) => {
    const name = arg.replace(/^@plugboard\//, "");
    return packages.has(name) ? `packages/${name}/` : arg;
  });
}
