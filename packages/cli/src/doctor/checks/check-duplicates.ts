/** Reports servers that are defined twice: under two ids, or in two files of which one hides the other. */
import type { Facts } from "../facts/facts.ts";
import type { Check, Finding } from "./finding.ts";
import { removalHint } from "./removal-hint.ts";

export const checkDuplicates: Check = (facts) => [...sameDefinitions(facts), ...hiddenDefinitions(facts)];

function sameDefinitions({ servers }: Facts): Finding[] {
  const enabled = servers.filter((server) => server.enabled);
  return groupBy(enabled, ({ digest }) => digest).flatMap(([first, ...others]) =>
    others.map((other): Finding => {
      const message = `It is the same server as "${first!.id}", so models see its tools twice.`;
      const fix = `Remove one of them: ${removalHint(other)}.`;
      return { check: "duplicate", severity: "warning", server: other.id, message, fix };
    }),
  );
}

/**
 * Finds servers that several files define. Only the definition in the file of the highest priority applies; settings of
 * the other definitions are not merged into it. `files` come from lowest to highest priority.
 */
function hiddenDefinitions({ files, untrusted }: Facts): Finding[] {
  const definitions = files.flatMap(({ file, source, defines }) => defines.map((id) => ({ id, file, source })));
  return groupBy(definitions, ({ id }) => id).flatMap((found): Finding[] => {
    const [lowest, used] = [found[0]!, found.at(-1)!];
    // A definition that is not trusted yet does not apply, so it hides nothing.
    if (found.length < 2 || untrusted.includes(used.id)) return [];
    const hidden = found.slice(0, -1).map(({ file }) => file);
    const message = `It is defined in ${found.length} files. ${used.file} applies, and hides ${hidden.join(" and ")}.`;
    const fix = `If that is not intended, remove one: ${removalHint(lowest)}.`;
    return [{ check: "duplicate", severity: "warning", server: used.id, message, fix }];
  });
}

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): T[][] {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return [...groups.values()];
}
